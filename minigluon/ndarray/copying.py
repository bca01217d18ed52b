"""Methods of NDArray that copy it to another type, array, device or storage type."""

from __future__ import annotations

from typing import Any

from .. import tape
from ..backend import backend_for
from ..base import MXNetError, ShapeError
from ..common.dtypes import as_dtype
from ..common.types import DType
from ..context import Context
from ..ops import REGISTRY
from ..ops.op import Op
from ..providers import ask
from .imperative import invoke
from .ndarray import NDArray, method
from .register import operator_of

_state = tape.state
_casts: dict[Any, Op] = {}         # dtype -> its Cast operator


@method
def astype(self: NDArray, dtype: DType, copy: bool = True) -> NDArray:
    """Return the elements converted to `dtype`, or the array itself if copy=False and no conversion is needed.

    >>> nd.array([1.5, -1.5]).astype("int32").asnumpy()
    array([ 1, -1], dtype=int32)
    """
    dtype = as_dtype(dtype)
    if not copy and dtype == self.buffer.dtype:
        return self
    op = _casts.get(dtype)
    if op is None:
        op = _casts[dtype] = REGISTRY["Cast"](dtype=str(dtype))         # creating the string takes NumPy a microsecond
    return invoke(op, [self])


@method
def copy(self: NDArray) -> NDArray:
    """Return a copy on the same device.

    >>> x = nd.zeros(1)
    >>> y = x.copy()
    >>> y[:] = 5
    >>> print(x.asnumpy(), y.asnumpy())
    [0.] [5.]
    """
    return invoke(operator_of("identity"), (self,))


@method
def copyto(self: NDArray, other: NDArray | Context) -> NDArray:
    """Copy to another NDArray (any dtype and device, the same shape), or to a Context as a new array.

    Returns the target array. Raises ShapeError for a different shape.

    >>> x = nd.zeros(2, dtype="int32")
    >>> print(nd.array([1, 2]).copyto(x).asnumpy(), nd.array([1, 2]).copyto(mx.cpu(1)).context)
    [1 2] cpu(1)
    """
    if isinstance(other, Context):
        return self._to_context(other)
    value: Any = other
    if not isinstance(value, NDArray):
        raise MXNetError(f"copyto needs an NDArray or a Context, found {type(value).__name__}")
    if other.shape != self.shape:
        raise ShapeError(f"copyto: an array of shape {self.shape} cannot be copied to one of shape {other.shape}; "
                         "the shapes must be equal. other[:] = x broadcasts.")
    if other is not self:
        other[:] = self
    return other


@method
def as_in_context(self: NDArray, context: Context) -> NDArray:
    """Return the array itself if it is on the device `context`, otherwise a copy on that device; short: `as_in_ctx`.

    >>> x = nd.zeros(2)
    >>> x.as_in_context(mx.cpu(0)) is x, x.as_in_context(mx.cpu(1)).context
    (True, cpu(1))
    """
    return self if self.device is context else self._to_context(context)


@method
def _to_context(self: NDArray, ctx: Any) -> NDArray:
    ctx = Context(ctx)
    moved = NDArray(backend_for(ctx).from_numpy(backend_for(self.device).to_numpy(self.buffer), ctx), ctx)
    if _state.recording:
        tape.record_op(REGISTRY["_copyto"](source=str(self.device), target=str(ctx)), (self,), (moved,))
    return moved


@method
def tostype(self: NDArray, stype: str) -> NDArray:
    """Return the elements in another storage type: an `nd.sparse` array for the stypes 'row_sparse' and 'csr'.

    >>> print(nd.array([[0, 0], [0, 7]]).tostype("row_sparse").indices.asnumpy())
    [1]
    """
    if stype == "default":
        return self
    return ask("nd.sparse").cast_storage(self, stype)


NDArray.as_in_ctx = as_in_context
