"""Parameter: a named array that is learned, with a gradient and a copy on every device.

A parameter may be made before its shape is known. `initialize` then only notes how and where (deferred
initialization); the first forward pass fills the shape in, through the operators' own shape rules, and
`_finish_deferred_init` makes the arrays.
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any, NoReturn, cast

import numpy as np

from .. import autograd, initializer, symbol
from .. import ndarray as nd
from ..base import ArgumentError, CheckError, MXNetError, ShapeError
from ..common.dtypes import as_dtype
from ..common.shape_semantics import write
from ..context import Context, cpu, current_context
from ..diagnostics import strictness
from ..initializer.constants import GivenValue
from ..ops.shapes import FullShape, PartialShape
from ..symbol.symbol import Symbol
from . import parameter_snapshots as snapshots
from .parameter_devices import Array, Arrays, ParameterDevices, as_contexts
from .parameter_errors import DeferredInitializationError, UninitializedError, raise_unavailable
from .parameter_loading import ParameterLoading

__all__ = ["Constant", "DeferredInitializationError", "Parameter", "UninitializedError"]

_numbers = itertools.count(1)       # next() is one step for all threads


class Parameter(ParameterDevices, ParameterLoading):
    """A named array of a block, with a gradient and a copy on every device.

    name: the full name, prefix included.
    grad_req: what backward does with the gradient: 'write', 'add' or 'null'.
    shape: a tuple or an integer; 0, -1 and None are dimensions that the first forward pass fills in.
    dtype: the element type.
    lr_mult, wd_mult: factors on the trainer's learning rate and weight decay.
    init: an Initializer or its name; None leaves the choice to the block.
    allow_deferred_init: may `initialize` wait for the shape?
    differentiable: False fixes grad_req at 'null'.
    stype, grad_stype: storage of value and gradient, see `nd.sparse`. Of a row_sparse value all rows are stored; blocks
        take some with `row_sparse_data`.

    >>> w = gluon.Parameter("w", shape=(2,), init=init.One())
    >>> w.initialize()
    >>> with autograd.record():
    ...     loss = (w.data() * nd.array([3, 4])).sum()
    >>> loss.backward()
    >>> w.data().asnumpy().tolist(), w.grad().asnumpy().tolist()
    ([1.0, 1.0], [3.0, 4.0])
    >>> w.shape, w.dtype, w.grad_req, w.list_ctx(), len(w.list_data()), len(w.list_grad())
    ((2,), <class 'numpy.float32'>, 'write', [cpu(0)], 1, 1)
    >>> w.zero_grad()
    >>> w.grad().asnumpy().tolist(), w.is_initialized, w.is_deferred
    ([0.0, 0.0], True, False)
    """

    # Another number whenever any parameter got other arrays or other memory. A Trainer that has looked its arrays up
    # looks again when this has changed: one comparison for each call, instead of one for each parameter.
    replacements: int = 0
    stype: str
    grad_stype: str

    def __init__(self, name: str, grad_req: str = "write", shape: Any = None, dtype: Any = np.float32,
                 lr_mult: float = 1.0, wd_mult: float = 1.0, init: Any = None, allow_deferred_init: bool = False,
                 differentiable: bool = True, stype: str = "default", grad_stype: str = "default") -> None:
        for kind, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value not in ("default", "row_sparse", "csr"):
                raise CheckError(f"Parameter {name!r}: {kind}={value!r} is no storage type, expected 'default', "
                                 "'row_sparse' or 'csr'")
        self.name = name
        self.stype, self.grad_stype = stype, grad_stype
        self._var: Symbol | None = None
        self._data: Arrays | None = None        # once initialized
        self._plain: Arrays | None = None       # the same for blocks that run; None if a subclass computes `data`
        self._grad: Arrays | None = None        # unless grad_req is 'null'
        # (init, contexts, default_init, loaded value) while the shape is unknown
        self._deferred: tuple[Any, list[Context], Any, Array | None] | None = None
        self._owner: weakref.ref[Any] | None = None             # to its Block, for error messages
        self._trainer: weakref.ref[Any] | None = None           # to its Trainer
        self._differentiable = differentiable
        self._allow_deferred_init = allow_deferred_init
        self._shape: PartialShape = as_shape(shape)
        self._dtype = as_dtype(dtype)
        self._grad_req = "null"
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"Parameter {self.name} (shape={self.shape}, dtype={self._dtype})"

    def _repr_html_(self) -> str:
        from ..display.parameters import parameter_html
        return parameter_html(self)

    # -- what it is ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> FullShape | None:
        """The shape, 0 (-1 under `mx.np_shape`) for dimensions not known yet; None when nothing is known."""
        return None if self._shape is None else write(self._shape)

    @shape.setter
    def shape(self, shape: Any) -> None:
        shape = as_shape(shape)
        if self._shape is not None and shape != self._shape and not (
                len(shape) == len(self._shape)
                and all(old is None or old == new for old, new in zip(self._shape, shape, strict=True))):
            raise MXNetError(f"{self.described()} has shape {self.shape}, which cannot become "
                             f"{tuple(d or 0 for d in shape)}: only unknown dimensions (0) may be filled in.")
        self._shape = shape

    @property
    def dtype(self) -> Any:
        """Element type, as NumPy's class."""
        return self._dtype.type

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def grad_req(self) -> str:
        """What backward does with the gradient: 'write', 'add' or 'null'."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in ("write", "add", "null"):
            raise MXNetError(f"{self.described()}: grad_req is {req!r}, expected one of 'write', 'add', 'null'.")
        if not self._differentiable:
            req = "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        if req == "null" and self._data is not None:
            self._grad = None
            self._replace({ctx: x.detach() for ctx, x in self._data.items()})
        elif self._data is not None:
            self._attach_grad(self._data)

    def _visible(self) -> Arrays | None:
        """{device: array} as this thread sees it, None without a value: other threads may be replacing it."""
        return snapshots.seen(self) if snapshots.scopes else self._data

    def _replace(self, arrays: Arrays | None) -> None:
        """Take other arrays, with gradients of their own."""
        if self._data is None and not snapshots.scopes:
            self._take(arrays)
        else:
            snapshots.replace(self, arrays)         # so that other threads see all arrays replaced or none

    def _take(self, arrays: Arrays | None) -> None:
        if arrays is not None:
            self._attach_grad(arrays)
            for x in arrays.values():
                x._prepare_to_replace()
        self._data = arrays
        self._plain = None if self.computes_data else arrays
        self._count_replacement()                    # now that they can be seen

    @staticmethod
    def _count_replacement() -> None:
        """Tell Trainers that some parameter got other arrays or other memory."""
        Parameter.replacements = next(_numbers)

    @property
    def is_initialized(self) -> bool:
        """Has it a value?"""
        return self._data is not None

    @property
    def is_deferred(self) -> bool:
        """Was `initialize` called, and does it wait for the shape?"""
        return self._deferred is not None

    @property
    def computes_data(self) -> bool:
        """Does `data` of a subclass return another array than the stored one, such as one with weights dropped?"""
        return type(self).data is not Parameter.data

    def _is_shape_known(self) -> bool:
        return self._shape is not None and None not in self._shape

    def described(self) -> str:
        """'Parameter 'dense0_weight' of Dense 'dense0'', for messages."""
        owner = self._owner() if self._owner else None
        block = f" of {type(owner).__name__} {owner.name!r}" if owner is not None else ""
        return f"Parameter {self.name!r}{block}"

    def _set_owner(self, block: Any) -> None:
        if self._owner is None:
            self._owner = weakref.ref(block)

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: the block and the trainer are not the copy's own."""
        return {**self.__dict__, "_owner": None, "_trainer": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._data is not None:
            self._take(self._data)

    # -- initialization -----------------------------------------------------------------------------------------

    def initialize(self, init: Any = None, ctx: Any = None, default_init: Any = None,
                   force_reinit: bool = False) -> None:
        """Make the arrays, or defer that until the shape is known.

        init: overrides the parameter's own.
        ctx: a Context or a list of them; the current one when None.
        default_init: used when neither init nor the parameter's own is given; Uniform() when None.
        force_reinit: also where it has a value?

        Warns where it has a value, and raises ShapeError where the shape is not known and may not be deferred.
        """
        if self._data is not None and not force_reinit:
            strictness.warn(f"{self.described()} is already initialized and keeps its value. To initialize it anew, "
                            "pass force_reinit=True.")
            return
        contexts = as_contexts(ctx)
        default_init = default_init or initializer.Uniform()
        init = init or self.init or default_init
        if isinstance(default_init, Context):
            raise ArgumentError(f"initialize: init is {default_init}, expected an Initializer such as "
                                f"mx.init.Xavier(). Give a device by name: ctx={default_init}.")
        if self._is_shape_known():
            self._initialize_now(init, contexts, default_init, None)
            return
        self._replace(None)
        self._grad = None
        self._deferred = (init, contexts, default_init, None)
        if not self._allow_deferred_init:
            self._deferred = None
            raise ShapeError(f"{self.described()} cannot be initialized: its shape {self.shape} is not fully "
                             "known. Give the full shape, or pass allow_deferred_init=True.")

    def _finish_deferred_init(self) -> None:
        """Make the arrays that `initialize` had to defer. Does nothing when there are none."""
        if self._deferred is None:
            return
        if not self._is_shape_known():
            raise DeferredInitializationError(
                f"{self.described()} has shape {self.shape}, and the forward pass did not tell the rest. "
                "Give the sizes when the layer is made (in_units, in_channels, ...).")
        self._initialize_now(*self._deferred)
        self._deferred = None       # now, so that another thread sees it deferred until its value is there

    def _initialize_now(self, init: Any, contexts: list[Context], default_init: Any, value: Array | None) -> None:
        with autograd.pause():
            if value is None:
                value = nd.zeros(self._shape, ctx=cpu(), dtype=self._dtype)
                desc = initializer.InitDesc(self.name, {"__init__": init})      # its own, whatever its name ends in
                initializer.create(default_init)(desc, value)
            self._replace({ctx: self._stored(value.copyto(ctx)) for ctx in contexts})
        trainer = self._trainer and self._trainer()
        if trainer is not None:
            trainer.share(self)

    def _stored(self, value: Array) -> Array:
        """An array in the storage of the parameter. In row_sparse, all rows are there."""
        if self.stype == "row_sparse":
            all_rows: Array = cast(Any, nd.sparse).with_all_rows(value)
            return all_rows
        return value.tostype("default").tostype(self.stype)

    def _attach_grad(self, arrays: Arrays) -> None:
        if self._grad_req == "null":
            self._grad = None
            return
        self._grad = {ctx: nd.zeros(x.shape, ctx=ctx, dtype=x.dtype, stype=self.grad_stype)
                      for ctx, x in arrays.items()}
        autograd.mark_variables(list(arrays.values()), list(self._grad.values()), self._grad_req)
        self._count_replacement()

    # -- value --------------------------------------------------------------------------------------------------

    def data(self, ctx: Context | None = None) -> Array:
        """The array on a device.

        ctx: the device; None: the only one that it is on, or the current one.

        Raises UninitializedError, DeferredInitializationError, MXNetError for a device it is not on.
        """
        data = self._visible()
        if data is None or (ctx is not None and ctx not in data):
            self._raise_unavailable(ctx, data)
        if ctx is not None:
            return data[ctx]
        return self._on_current(data)

    def grad(self, ctx: Context | None = None) -> Array:
        """The gradient that the last backward left, on a device. The same errors as `data`.

        ctx: as in `data`.
        """
        grads = self._require_grad(ctx)
        return self._on_current(grads) if ctx is None else grads[ctx]

    def _on_current(self, arrays: Arrays) -> Array:
        if len(arrays) == 1:
            return next(iter(arrays.values()))
        ctx = current_context()
        if ctx not in arrays:
            self._raise_unavailable(ctx, arrays)
        return arrays[ctx]

    def _raise_unavailable(self, ctx: Context | None, arrays: Arrays | None) -> NoReturn:
        raise_unavailable(self, ctx, arrays)

    def _require_grad(self, ctx: Context | None = None) -> Arrays:
        data, grads = self._data, self._grad
        if data is not None and grads is None:
            raise MXNetError(f"{self.described()} has no gradient, because its grad_req is 'null'. "
                             "Set grad_req to 'write' or 'add'.")
        if data is None or grads is None or (ctx is not None and ctx not in grads):
            self._raise_unavailable(ctx, data)
        return grads

    def zero_grad(self) -> None:
        """Set the gradient to zero on all devices; needed between steps with grad_req='add'."""
        for grad in (self._grad or {}).values():
            grad[:] = 0

    def var(self) -> Symbol:
        """The symbol that stands for this parameter in a graph.

        >>> gluon.Parameter("w", shape=(2,)).var().list_arguments()
        ['w']
        """
        if self._var is None:
            self._var = symbol.var(self.name, shape=self.shape, dtype=self.dtype, lr_mult=self.lr_mult,
                                   wd_mult=self.wd_mult, init=self.init, stype=self.stype)
        return self._var


class Constant(Parameter):
    """A parameter that is never learned: grad_req stays 'null' and initialization gives back its value.

    name: the full name, prefix included.
    value: an NDArray, or what `nd.array` takes.

    >>> weight = gluon.Constant("weight", [1, 2])
    >>> weight.initialize()
    >>> weight.data().asnumpy().tolist(), weight.grad_req
    ([1.0, 2.0], 'null')
    """

    def __init__(self, name: str, value: Any) -> None:
        if not isinstance(value, nd.NDArray):
            value = nd.array(value)
        self.value = value
        super().__init__(name, grad_req="null", shape=value.shape, dtype=value.dtype, init=GivenValue(name, value))

    def __repr__(self) -> str:
        return f"Constant {self.name} (shape={self.shape}, dtype={self._dtype})"


def as_shape(shape: Any) -> PartialShape:
    """A shape with None for dimensions that are not known; None for no shape at all. Raises ArgumentError."""
    if shape is None:
        return None
    lengths: Any = (shape,) if isinstance(shape, (int, np.integer)) else shape
    if not isinstance(lengths, (tuple, list)) or not all(isinstance(d, (int, np.integer, type(None)))
                                                        for d in cast("list[Any]", lengths)):
        raise ArgumentError(f"the shape of a parameter is {shape!r}, expected an integer or a tuple of integers, 0 or "
                            "None where it is not known yet")
    return tuple(int(d) if d is not None and d > 0 else None for d in cast("list[Any]", lengths))
