"""Parameter: a named array that is learned, with a gradient and a copy on every device.

Separate files handle initial values (`parameter_init`), gradients, devices and replacement (`parameter_loading`).
"""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from .. import symbol
from ..base import MXNetError
from ..common.array_semantics import is_np_array
from ..common.dtypes import as_dtype
from ..common.shape_semantics import write
from ..context import Context
from ..ops.shapes import FullShape, PartialShape
from ..symbol.symbol import Symbol
from . import parameter_snapshots as snapshots
from .parameter_devices import Array, Arrays, ParameterDevices
from .parameter_errors import DeferredInitializationError, ParameterErrors, UninitializedError
from .parameter_gradient import ParameterGradient
from .parameter_init import ParameterInit, as_shape, require_initializer, require_storage
from .parameter_loading import ParameterLoading

__all__ = ["DeferredInitializationError", "Parameter", "UninitializedError"]

class Parameter(ParameterInit, ParameterGradient, ParameterDevices, ParameterLoading, ParameterErrors):
    """A named array that belongs to a block, with a gradient and a copy on every device.

    name: the full name, including the prefix.
    grad_req: how backward stores the gradient: 'write', 'add' or 'null'.
    shape: a tuple or an integer; 0, -1 and None stand for dimensions that the first forward pass fills in.
    dtype: the element type.
    lr_mult, wd_mult: factors for the trainer's learning rate and weight decay.
    init: an Initializer or its name; None leaves the choice to the block.
    allow_deferred_init: whether `initialize` may wait for the shape.
    differentiable: False fixes grad_req at 'null'.
    stype, grad_stype: the storage types of value and gradient (see `nd.sparse`). A row_sparse value stores all rows;
        blocks read some of them with `row_sparse_data`.

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

    stype: str
    grad_stype: str

    def __init__(self, name: str, grad_req: str = "write", shape: Any = None, dtype: Any = np.float32,
                 lr_mult: float = 1.0, wd_mult: float = 1.0, init: Any = None, allow_deferred_init: bool = False,
                 differentiable: bool = True, stype: str = "default", grad_stype: str = "default") -> None:
        require_storage(name, stype=stype, grad_stype=grad_stype)
        self.name, self.stype, self.grad_stype, self._is_np = name, stype, grad_stype, is_np_array()
        self._var: Symbol | None = None
        self._data: Arrays | None = None        # once initialized
        self._plain: Arrays | None = None       # the same arrays for running blocks; None if a subclass computes `data`
        self._grad: Arrays | None = None        # None if grad_req is 'null'
        # (init, contexts, default_init, loaded value) while the shape is unknown
        self._deferred: tuple[Any, list[Context], Any, Array | None] | None = None
        self._owner: weakref.ref[Any] | None = None             # a reference to its Block, for error messages
        self._trainer: weakref.ref[Any] | None = None           # a reference to its Trainer
        self._differentiable, self._allow_deferred_init = differentiable, allow_deferred_init
        self._shape: PartialShape = as_shape(shape)
        self._dtype, self._grad_req = as_dtype(dtype), "null"
        self.lr_mult, self.wd_mult = lr_mult, wd_mult
        self.init = require_initializer(init, f"Parameter {name!r}: init")
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"Parameter {self.name} (shape={self.shape}, dtype={self._dtype})"

    def _repr_html_(self) -> str:
        from ..display.parameters import parameter_html
        return parameter_html(self)

    # -- properties ---------------------------------------------------------------------------------------------

    @property
    def shape(self) -> FullShape | None:
        """The shape, with 0 (-1 under `mx.np_shape`) for unknown dimensions; None if nothing is known."""
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
        """The element type, as a NumPy class."""
        return self._dtype.type

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    def _visible(self) -> Arrays | None:
        """Return {device: array} as this thread sees it, or None. Other threads may be replacing the arrays."""
        return snapshots.visible_arrays(self) if snapshots.scopes else self._data

    @property
    def is_initialized(self) -> bool:
        """Whether the parameter has a value."""
        return self._data is not None

    @property
    def computes_data(self) -> bool:
        """Whether a subclass overrides `data` to compute an array, for example with dropped weights."""
        return type(self).data is not Parameter.data

    # -- value --------------------------------------------------------------------------------------------------

    def data(self, ctx: Context | None = None) -> Array:
        """Return the array on a device.

        ctx: the device; None stands for the parameter's only device or, if it has several, the current one.

        Raises UninitializedError, DeferredInitializationError, and MXNetError for a device without an array.
        """
        data = self._visible()
        if data is None or (ctx is not None and ctx not in data):
            self._raise_unavailable(ctx, data)
        array = self._on_current(data) if ctx is None else data[ctx]
        return array.as_np_ndarray() if self._is_np else array

    def var(self) -> Symbol:
        """Return the symbol that stands for this parameter in a graph.

        >>> gluon.Parameter("w", shape=(2,)).var().list_arguments()
        ['w']
        """
        if self._var is None:
            self._var = symbol.var(self.name, shape=self.shape, dtype=self.dtype, lr_mult=self.lr_mult,
                                   wd_mult=self.wd_mult, init=self.init, stype=self.stype)
        return self._var
