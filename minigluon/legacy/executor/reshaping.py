"""Reshaping of an executor's arrays, which stay in the same memory if it is large enough."""

from __future__ import annotations

from typing import Any

from ... import ndarray as nd
from ...base import ArgumentError, listed, nearest
from ...ops.shapes import size_of
from .inference import infer_shapes
from .memory import part_of, zeros

__all__ = ["reshape_arrays"]


def reshape_arrays(executor: Any, shapes: dict[str, Any], partial_shaping: bool, allow_up_sizing: bool):
    """Return (args, grads, aux) for `Executor.reshape`."""
    for name in shapes:
        if name not in executor.arg_dict:
            raise ArgumentError(f"reshape: the graph has no argument {name!r}; it has "
                                f"{listed(executor.arg_dict)}.{nearest(name, executor.arg_dict)}")
    needed = infer_shapes(executor._symbol, shapes, "reshape")

    def other(name, array, kind):
        if array is None or array.shape == needed[name]:
            return array
        if name not in shapes and not partial_shaping:
            raise ArgumentError(f"reshape: {kind} {name!r}, whose shape was not given, would change from {array.shape} "
                                f"to {needed[name]}, and could not keep its values. Pass partial_shaping=True if that "
                                "is intended.")
        if array.stype != "default":
            return nd.zeros(needed[name], array.context, array.dtype, array.stype)
        if size_of(needed[name]) <= array.size:
            return part_of(array, needed[name])
        if not allow_up_sizing:
            raise ArgumentError(f"reshape: {kind} {name!r} would grow from {array.shape} to {needed[name]}. Bind the "
                                "largest shapes first and reshape to smaller ones, or pass allow_up_sizing=True to "
                                "allocate new memory.")
        return zeros(f"{kind} {name!r}", needed[name], array.context, array.dtype)

    args, grads, aux = ([other(name, x, kind) for name, x in bound.items()] for kind, bound in zip(
        ("argument", "gradient of", "auxiliary state"), executor._bound, strict=True))
    return args, grads, aux
