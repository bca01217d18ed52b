"""The base class of all operators, with shape and type checks and the wording of the error messages."""

import weakref
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np

from ..base import DTypeError, MXNetError, OpAttributeError, ShapeError, nearest
from ..common.dtypes import is_float
from ..diagnostics import strictness
from .declarations import Declarations
from .fields import MISSING
from .rank_checks import RankChecks, other_count, shape_text
from .shapes import PartialShape, merge

__all__ = ["Checks", "Op", "distinct"]


class Checks(RankChecks):
    """Methods for `infer_shape` and `infer_dtype`. Subclasses define `name` and `argument_names`."""

    variadic: ClassVar[bool]

    if TYPE_CHECKING:
        def argument_names(self, count: int) -> Sequence[str]: ...
        def list_arguments(self) -> Sequence[str]: ...

    @property
    def num_inputs(self) -> int | None:
        """The number of inputs that the attributes require; None if any positive number is valid.

        >>> nd.FullyConnected.op(num_hidden=4, no_bias=True).num_inputs, nd.concat.op(num_args=3).num_inputs
        (2, 3)
        """
        return self.__dict__.get("num_args") if self.variadic else len(self.list_arguments())

    def require_count(self, count: int, absent: Sequence[int] = ()) -> None:
        """Raise MXNetError unless the attributes require `count` inputs.

        Everything that depends on such an attribute is checked later, so that a wrong number in a file causes no work
        for nonexistent inputs. absent: the positions of missing inputs.

        >>> nd.SequenceMask.op(use_sequence_length=True).require_count(1)
        Traceback (most recent call last):
        minigluon.base.MXNetError: SequenceMask(use_sequence_length=True, value=0.0, axis=0) takes 2 inputs (data, \
sequence_length): sequence_length missing.
        """
        expected = self.num_inputs
        if expected not in (None, count) or absent or self.variadic and not count:
            raise other_count(self, expected, count, absent)

    def require(self, argument: str, shape: PartialShape, required: PartialShape,
                remedy: str | None = None) -> PartialShape:
        """Return `shape` and `required` merged, each filling the other's unknown parts. Raises ShapeError.

        argument: the input's name, for the message.
        remedy: what the user should write instead if they do not match.

        >>> nd.dot.op().require("lhs", (2, None), (None, 3))
        (2, 3)
        >>> nd.dot.op().require("lhs", (2, 4), (None, 3))
        Traceback (most recent call last):
        minigluon.base.ShapeError: dot: lhs has shape (2, 4), expected (?, 3)
        """
        merged = merge(shape, required)
        if merged is False:
            raise ShapeError(f"{self.name}: {argument} has shape {shape_text(shape)}, expected {shape_text(required)}",
                             argument, remedy)
        return merged

    def normalize_axis(self, axis: int, ndim: int) -> int:
        """Return `axis` as a non-negative axis of an array with `ndim` axes. Raises ShapeError if it is out of range.

        >>> nd.softmax.op().normalize_axis(-1, ndim=3)
        2
        """
        if not -ndim <= axis < ndim:
            range_ = f"; the axes are {-ndim} to {ndim - 1}" if ndim else ""
            raise self.shape_clash(f"axis {axis} is out of range for {ndim} dimensions{range_}")
        return axis % ndim

    def require_float(self, argument: str, dtype: np.dtype[Any] | None) -> None:
        """Check that a dtype, if known, is a floating-point type, for operators whose results cannot be integers.

        argument: the input's name, for the message.

        >>> nd.dot.op().require_float("lhs", np.dtype("int8"))
        Traceback (most recent call last):
        minigluon.base.DTypeError: dot: lhs is int8, expected a floating-point dtype. Convert with .astype('float32').
        """
        if dtype is not None and not is_float(np.dtype(dtype)):
            raise DTypeError(f"{self.name}: {argument} is {dtype}, expected a floating-point dtype. "
                             "Convert with .astype('float32').")

    def require_dtype(self, argument: str, dtype: np.dtype[Any] | None,
                      required: np.dtype[Any] | None) -> np.dtype[Any] | None:
        """Return whichever of `dtype` and `required` is known. Raises DTypeError if both are known and differ.

        argument: the input's name, for the message.

        >>> nd.dot.op().require_dtype("lhs", None, np.dtype("float16"))
        dtype('float16')
        """
        # `is None` first: numpy.dtype("float64") equals None
        if dtype is not None and required is not None and dtype != required:
            raise DTypeError(f"{self.name}: {argument} is {dtype}, expected {required}. "
                             f"Convert with .astype('{required}').")
        return required if dtype is None else dtype

    def require_numbers(self, *dtypes: np.dtype[Any] | None) -> None:
        """Raise DTypeError if `dtypes` contain booleans, which do not support arithmetic.

        >>> nd.dot.op().require_numbers(np.dtype("float32"), np.dtype("int32"))     # both are numbers
        """
        if any(d is not None and d.kind == "b" for d in dtypes):
            raise DTypeError(f"{self.name}: there is no arithmetic with inputs of dtype bool. Convert them with "
                             ".astype('float32'), or use nd.logical_and, nd.logical_or, nd.logical_xor, "
                             "nd.logical_not.")


PartialShapes = Sequence[PartialShape]
PartialDtypes = Sequence[np.dtype[Any] | None]          # None if not known yet
AnyOp = TypeVar("AnyOp", bound="Op")

_interned: "weakref.WeakValueDictionary[tuple[Any, ...], Op]" = weakref.WeakValueDictionary()


class Op(Checks, Declarations):
    """An immutable operator with its attributes. Equal operators are the same object.

    >>> FullyConnected = nd.FullyConnected.op
    >>> FullyConnected(num_hidden=4) is FullyConnected(num_hidden="4"), issubclass(FullyConnected, mx.ops.Op)
    (True, True)

    An operator consists of five things: the class with its annotated attributes, `infer_shape`, `forward`, `gradient`,
    and the decorator `register`, which names the inputs. `Checks` has helpers. Objects are shared and have no state.

    Special operators also set some of the fourteen names listed in `Declarations`.

    Related operators derive from a base class with what they share: `Elementwise`, `View`, `Linear`, or the base class
    of their family, such as `optimizer.update.Update` and `graph.control.ControlOp`.
    """

    # -- what every operator defines ----------------------------------------------------------------------------

    def infer_shape(self, *shapes: PartialShape) -> tuple[PartialShapes, PartialShapes]:
        """Complete the known shapes: `([input shapes], [output shapes])`. None is an unknown shape or dimension.

        The default is the rule for elementwise operators: all shapes are equal, in both directions.

        >>> nd.FullyConnected.op(num_hidden=4).infer_shape((2, 3), None, None)
        ([(2, 3), (4, 3), (4,)], [(2, 4)])
        """
        shape: PartialShape = None
        for name, actual in zip(self.argument_names(len(shapes)), shapes, strict=True):
            shape = self.require(name, actual, shape)
        return [shape] * len(shapes), [shape] * self.num_outputs

    def forward(self, *inputs: Any) -> Any:
        """Compute the output, a NumPy array or a tuple of them, from the NumPy arrays `inputs`: the reference kernel.

        The result has its own memory in C order and is never a view of an input. The new values of `mutates` follow the
        outputs; None means 'unchanged'. A parameter `train` receives True or False, and `rng` a numpy.random.Generator.

        >>> nd.FullyConnected.op(num_hidden=1).forward(np.ones((2, 3)), np.ones((1, 3)), np.array([10.0]))
        array([[13.],
               [13.]])
        """
        raise NotImplementedError(f"{self.name} has no forward")

    def gradient(self, F: Any, out_grads: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """Return the gradient of each input, computed with operators of `F` (`nd` on the tape, `sym` in a graph).

        out_grads: the head gradients, one for each output; zeros (None with `takes_none`) if there is no gradient.
        inputs, outputs: the inputs and outputs of forward that `keeps` names.

        Returns one value or a list with one item per input (with `sym`, possibly one symbol with that many outputs);
        None for an input without a gradient. An expensive item may be a function without arguments, which is called
        only if the gradient is needed. `gradient = None` in place of the method means that there is no gradient.

        >>> x, y, g = nd.array([3]), nd.array([9]), nd.array([1])
        >>> print(nd.square.op().gradient(nd, [g], [x], [y]).asnumpy())
        [6.]
        """
        raise MXNetError(f"{self.name} has no gradient. Use its result outside of autograd.record(), or call detach().")

    # -- what special operators define --------------------------------------------------------------------------

    @property
    def in_place(self) -> Sequence[str]:
        """The inputs whose memory an output of the same size may reuse: all inputs if the operator is elementwise.

        >>> nd.relu.op().in_place, nd.dot.op().in_place
        (('data',), ())
        """
        return self.list_arguments() if self.elementwise else ()

    def list_arguments(self) -> Sequence[str]:
        """Return the names of the inputs that these attributes require (no 'bias' with no_bias=True).

        >>> nd.FullyConnected.op(num_hidden=4, no_bias=True).list_arguments()
        ('data', 'weight')
        """
        return self.arguments

    def infer_dtype(self, *dtypes: np.dtype[Any] | None) -> tuple[PartialDtypes, PartialDtypes]:
        """Complete element types: `([input dtypes], [output dtypes])`. By default, all types are the same.

        >>> nd.dot.op().infer_dtype(np.dtype("float16"), None)
        ([dtype('float16'), dtype('float16')], [dtype('float16')])
        """
        known_dtypes = [d for d in dtypes if d is not None]
        for actual in known_dtypes:
            if actual != known_dtypes[0]:
                raise self.dtype_clash(dtypes)
        dtype = known_dtypes[0] if known_dtypes else None
        return [dtype] * len(dtypes), [dtype] * self.num_outputs

    def infer_inputs(self, shapes: PartialShapes, outputs: PartialShapes) -> PartialShapes:
        """Return the input shapes, completed from what a graph knows about the outputs. Called before `infer_shape`.

        The inputs of an elementwise operator (one that inherits `infer_shape`) have the shape of its output. For other
        operators, nothing is completed unless they define this method.

        >>> nd.relu.op().infer_inputs([(2, None)], [(None, 3)])
        [(2, 3)]
        """
        if type(self).infer_shape is not Op.infer_shape or outputs[0] is None:
            return shapes
        names = self.argument_names(len(shapes))
        return [self.require(name, shape, outputs[0]) for name, shape in zip(names, shapes, strict=True)]

    # -- for users of operators ----------------------------------------------------------------------------------

    @cached_property
    def num_visible_outputs(self) -> int:
        """The number of outputs that a caller sees. Hidden outputs, such as a dropout mask, come after them."""
        return len(self.output_names) or self.num_outputs

    def argument_names(self, count: int) -> Sequence[str]:
        """Return names for `count` inputs, numbered if the operator takes any number of them.

        >>> nd.concat.op(num_args=2).argument_names(2), nd.relu.op().argument_names(1)
        (['data0', 'data1'], ('data',))
        """
        return [f"{self.arguments[0]}{i}" for i in range(count)] if self.variadic else self.list_arguments()

    def __new__(cls: type[AnyOp], **attributes: Any) -> AnyOp:
        values = cls.complete(attributes)
        key = (cls, tuple([distinct(value) for value in values.values()]))
        self = _interned.get(key)
        if self is None:
            self = object.__new__(cls)
            self.__dict__.update(values)
            self = _interned.setdefault(key, self)
        return cast(AnyOp, self)

    @classmethod
    def complete(cls, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Return all attributes in canonical form, including defaults. Raises OpAttributeError.

        An operator without attributes, such as `relu` or `zeros_like`, ignores any that are passed and warns, as MXNet
        does, because programs often write `zeros_like(x, dtype=...)`.

        >>> nd.dot.op.complete({"transpose_a": "True"})
        {'transpose_a': True, 'transpose_b': False, 'forward_stype': None}
        """
        for name in attributes:
            if name not in cls.fields:
                if not cls.fields:
                    strictness.warn(f"{cls.name} has no attributes, and ignores {name}={attributes[name]!r}")
                    continue
                raise OpAttributeError(
                    f"{cls.name}: unknown attribute {name!r}; it has {', '.join(cls.fields) or 'none'}."
                    + nearest(name, cls.fields))
        values: dict[str, Any] = {}
        for name, field in cls.fields.items():
            value = attributes.get(name, field.default)
            if value is MISSING:
                raise OpAttributeError(f"{cls.name}: attribute {name} is missing; it has no default.")
            values[name] = value if name not in attributes else field.parse(value, cls.name)
        return values

    @property
    def attributes(self) -> dict[str, Any]:
        """{attribute: value} in the order of declaration.

        >>> nd.FullyConnected.op(num_hidden=4).attributes
        {'num_hidden': 4, 'no_bias': False, 'flatten': True}
        """
        return {name: self.__dict__[name] for name in self.fields}

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: make a new one instead of setting {name}")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.attributes)

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(f'{k}={v!r}' for k, v in self.attributes.items())})"


def distinct(value: Any) -> Any:
    """Return an attribute for a key. It tells 0.0 from -0.0, because x / 0.0 is not x / -0.0, and NaN equals itself."""
    if value.__class__ is tuple:
        return tuple([distinct(item) for item in value])
    is_zero_or_nan = value.__class__ in (float, np.float16, np.float32, np.float64) and not abs(value) > 0
    return str(value) if is_zero_or_nan and str(value) != "0.0" else value


def _rebuild(cls: type[AnyOp], attributes: Mapping[str, Any]) -> AnyOp:
    return cls(**attributes)
