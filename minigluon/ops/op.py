"""The class every operator derives from."""

import inspect
import math
import weakref
from functools import cached_property
from typing import ClassVar

import numpy as np

from ..base import DTypeError, MXNetError, OpAttributeError, ShapeError, nearest
from .fields import MISSING
from .shapes import merge

__all__ = ["Op"]

_interned = weakref.WeakValueDictionary()


class Op:
    """An operator with its attributes set: a frozen value. Equal operators are one object.

    >>> FullyConnected(num_hidden=4) is FullyConnected(num_hidden="4")
    True

    A subclass annotates its attributes and writes `infer_shape`, `forward` and `gradient`. The decorator
    `register` names its inputs. A graph node and a tape entry hold the same object, so it keeps no state.
    """

    # Filled in by `register`.
    name: ClassVar[str]                         # the public name, as in nd.<name>
    arguments: ClassVar[tuple] = ()             # names of the inputs
    variadic: ClassVar[bool] = False            # any number of inputs: concat, add_n, ...
    fields: ClassVar[dict] = {}                 # attribute name -> Field

    # Derived from the parameters of `forward`, and from `gradient`. Where they depend on attributes, the class that
    # writes these methods has a property instead.
    takes_train: ClassVar[bool] = False         # forward has a parameter train, True or False
    random: ClassVar[bool] = False              # forward has a parameter rng, a numpy.random.Generator
    differentiable: ClassVar[bool] = True       # False with `gradient = None`

    # What a subclass may declare.
    mutates: ClassVar[tuple] = ()               # inputs that are overwritten; their new values follow the outputs
    # What `gradient` looks at: "inputs", "outputs", or "shapes" when it takes only shapes and dtypes of the inputs.
    keeps: ClassVar[tuple] = ("inputs", "outputs")
    num_outputs: ClassVar[int] = 1              # may be a property
    output_names: ClassVar[tuple] = ()          # of those that a caller sees; () for output, or output0, output1, ...
    dynamic: ClassVar[bool] = False             # the output's shape depends on values: infer_shape leaves None in it
    # What a plan (`hybrid`) makes use of.
    elementwise: ClassVar[bool] = False         # out[i] depends on the inputs' [i] alone; equal shapes, one dtype
    is_view: ClassVar[bool] = False             # the first input's elements in their order, in another shape
    shape_only: ClassVar[tuple] = ()            # inputs of which shape and dtype matter, and no element

    def __init_subclass__(cls):
        written = cls.__dict__
        if "forward" in written:
            parameters = _parameters(written["forward"])
            for name, parameter in (("takes_train", "train"), ("random", "rng")):
                if name not in written:
                    setattr(cls, name, parameter in parameters)
        if "gradient" in written and "differentiable" not in written:
            cls.differentiable = cls.gradient is not None

    def __new__(cls, **attributes):
        values = cls.complete(attributes)
        key = (cls, tuple([_distinct(value) for value in values.values()]))
        self = _interned.get(key)
        if self is None:
            self = super().__new__(cls)
            self.__dict__.update(values)
            self = _interned.setdefault(key, self)
        return self

    @classmethod
    def complete(cls, attributes):
        """All attributes in canonical form, defaults filled in. Raises OpAttributeError."""
        for name in attributes:
            if name not in cls.fields:
                raise OpAttributeError(
                    f"{cls.name}: unknown attribute {name!r}; it has {', '.join(cls.fields) or 'none'}."
                    + nearest(name, cls.fields))
        values = {}
        for name, field in cls.fields.items():
            value = attributes.get(name, field.default)
            if value is MISSING:
                raise OpAttributeError(f"{cls.name}: attribute {name} is missing; it has no default.")
            values[name] = value if name not in attributes else field.parse(value, cls.name)
        return values

    @property
    def attributes(self):
        """Attribute name -> value, in the order of declaration."""
        return {name: self.__dict__[name] for name in self.fields}

    def __setattr__(self, name, value):
        raise AttributeError(f"{type(self).__name__} is frozen: make a new one instead of setting {name}")

    def __reduce__(self):
        return _rebuild, (type(self), self.attributes)

    def __repr__(self):
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.attributes.items())})"

    # -- what a subclass writes ---------------------------------------------------------------------------------

    def list_arguments(self):
        """Names of the inputs that these attributes ask for (no 'bias' with no_bias=True)."""
        return self.arguments

    @cached_property
    def num_visible_outputs(self):
        """How many outputs a caller sees; hidden ones (a dropout mask) come after."""
        return len(self.output_names) or self.num_outputs

    def infer_shape(self, *shapes):
        """Complete what is known: `([input shapes], [output shapes])`. None is an unknown shape or dimension.

        The default is an elementwise operator: one shape for all, in both directions.
        """
        shape = None
        for name, found in zip(self.argument_names(len(shapes)), shapes, strict=True):
            shape = self.require(name, found, shape)
        return [shape] * len(shapes), [shape] * self.num_outputs

    def infer_inputs(self, shapes, outputs):
        """Input shapes completed from what a graph knows of the outputs, before `infer_shape` is asked.

        An elementwise operator, one that inherits `infer_shape`, has its output's shape; others tell nothing unless
        they write this method.
        """
        if type(self).infer_shape is not Op.infer_shape or outputs[0] is None:
            return shapes
        names = self.argument_names(len(shapes))
        return [self.require(name, found, outputs[0]) for name, found in zip(names, shapes, strict=True)]

    def infer_dtype(self, *dtypes):
        """Complete element types: `([input dtypes], [output dtypes])`. The default is one type for all."""
        known = [d for d in dtypes if d is not None]
        for found in known:
            if found != known[0]:
                raise self.dtype_clash(dtypes)
        dtype = known[0] if known else None
        return [dtype] * len(dtypes), [dtype] * self.num_outputs

    def forward(self, *inputs):
        """NumPy arrays in, a NumPy array (or a tuple of `num_outputs`) out: the reference kernel.

        The result is memory of its own, never a view of an input. The values of `mutates` follow the outputs;
        None stands for 'unchanged'.
        """
        raise NotImplementedError(f"{self.name} has no forward")

    def forward_for(self, *dtypes):
        """`forward` for inputs of these types. A subclass may choose and convert ahead what each call would."""
        return self.forward

    def writer_for(self, inputs, outputs, **how):
        """`write(inputs, outputs)` for buffers of these Specs, or None: this operator cannot write into given memory.

        A plan calls it with memory that it has laid out itself: all outputs, then the buffers that `scratch` asks for.
        It stores the new values of `mutates` into those inputs. how: train= and rng=, as `forward` takes them.
        """
        return None

    def scratch(self, inputs, outputs, **how):
        """Specs of the buffers that the writer needs besides the outputs."""
        return []

    @property
    def in_place(self):
        """Names of the inputs whose memory an output of the same size may take: all, if it is elementwise."""
        return self.list_arguments() if self.elementwise else ()

    def gradient(self, F, out_grads, inputs, outputs):
        """The gradient of each input, written with operators of `F` (`nd` on the tape, `sym` in a graph).

        Returns one value, or a list with an item for each input (from `sym` also one symbol with so many outputs);
        None where there is no gradient. An item that is costly may be a function without arguments: it is called only
        where the gradient is wanted. `gradient = None` in the place of the method: nothing flows back at all.
        """
        raise MXNetError(f"{self.name} has no gradient. Use its result outside of autograd.record(), or call detach().")

    # -- helpers for those methods ------------------------------------------------------------------------------

    def argument_names(self, count):
        """Names for `count` inputs, numbered when the operator takes any number."""
        return [f"{self.arguments[0]}{i}" for i in range(count)] if self.variadic else self.list_arguments()

    def require(self, argument, found, required):
        """`found` and `required` merged, each filling the other's unknown parts. The one place that words a clash."""
        merged = merge(found, required)
        if merged is False:
            raise ShapeError(f"{self.name}: {argument} has shape {_text(found)}, expected {_text(required)}", argument)
        return merged

    def require_rank(self, argument, found, *ranks):
        """Check the number of dimensions of a known shape."""
        if found is not None and len(found) not in ranks:
            wanted = " or ".join(str(r) for r in ranks)
            raise ShapeError(f"{self.name}: {argument} has shape {_text(found)}, expected {wanted} dimensions",
                             argument)

    def shape_clash(self, problem, argument=None):
        """A ShapeError that begins with the operator's name, for the caller to raise."""
        return ShapeError(f"{self.name}: {problem}", argument)

    def dtype_clash(self, dtypes):
        """A DTypeError that lists what each input has, for the caller to raise."""
        names = self.argument_names(len(dtypes))
        listed = ", ".join(f"{n} {d}" for n, d in zip(names, dtypes, strict=True))
        return DTypeError(f"{self.name}: inputs have different dtypes: {listed}. Convert with .astype(dtype).")

    def require_float(self, argument, dtype):
        """Check that a known dtype is a floating-point one, where results in integers would mean nothing."""
        if dtype is not None and np.dtype(dtype).kind != "f":
            raise DTypeError(f"{self.name}: {argument} is {dtype}, expected a floating-point dtype. "
                             "Convert with .astype('float32').")

    def require_numbers(self, *dtypes):
        """Refuse booleans, with which there is no arithmetic."""
        if any(d is not None and d.kind == "b" for d in dtypes):
            raise DTypeError(f"{self.name}: there is no arithmetic with inputs of dtype bool. Convert them with "
                             ".astype('float32'), or use nd.logical_and, nd.logical_or, nd.logical_xor, "
                             "nd.logical_not.")

    def normalize_axis(self, axis, ndim):
        """A non-negative axis. Raises ShapeError when it is out of range."""
        if not -ndim <= axis < ndim:
            raise self.shape_clash(f"axis {axis} is out of range for {ndim} dimensions")
        return axis % ndim


def _parameters(function):
    """Names of a function's parameters; () for a NumPy function. (`inspect.signature` would slow down the import.)"""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return () if code is None else code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]


def _distinct(value):
    """What stands for an attribute in the key of an operator: 0.0 and -0.0 are equal, but x / 0.0 is not x / -0.0."""
    return "-0.0" if value.__class__ is float and value == 0 and math.copysign(1, value) < 0 else value


def _rebuild(cls, attributes):
    return cls(**attributes)


def _text(shape):
    """A shape as a message shows it, '?' for what is unknown."""
    if shape is None:
        return "?"
    body = ", ".join("?" if d is None else str(d) for d in shape)
    return f"({body},)" if len(shape) == 1 else f"({body})"
