"""Calls to operators without inputs, which create arrays on a device."""

from __future__ import annotations

from typing import Any

from .. import tape
from ..base import MXNetError
from ..context import Context, parse
from ..dispatch import find_kernel
from ..ops.op import Op
from .ndarray import NDArray

__all__ = ["create", "create_as_called"]

_state = tape.state


def create(op: Op, ctx: Context, cls: type[NDArray] = NDArray) -> Any:
    """Run an operator without inputs on a device. cls: the class of the results."""
    key = (op,)
    kernel = ctx.kernels.get(key) or find_kernel(op, ctx, (), key, _state.training)
    results = kernel([])
    return cls(results[0], ctx) if len(results) == 1 else [cls(result, ctx) for result in results]


def create_as_called(op: Any, kwargs: Any, out: Any) -> Any:
    """Run an operator without inputs. The array is created on the device `ctx=`, or on the device of `out=`."""
    if out is None:
        return create(op, parse(getattr(op, "ctx", None) or kwargs.get("ctx")))
    if not isinstance(out, NDArray):
        raise MXNetError(f"{op.name}: out must be an NDArray, found {type(out).__name__}")
    unsaid = {name: value for name, value in (("shape", out.shape), ("dtype", out.dtype))
              if name in op.fields and getattr(op, name) is None}
    result = create(type(op)(**{**op.attributes, **unsaid}) if unsaid else op, out.context)
    if result.shape != out.shape:
        raise MXNetError(f"{op.name}: out has shape {out.shape}, but the result has shape {result.shape}")
    out[:] = result
    return out
