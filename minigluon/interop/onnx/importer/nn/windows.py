"""Padding of windows: the attributes pads and auto_pad."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..values import is_static

if TYPE_CHECKING:
    from ..call import Call

__all__ = ["symmetric_end", "pads_of", "tuple_of"]


def tuple_of(call: Call, name: str, count: int, default: int = 1) -> tuple[Any, ...]:
    """Returns an attribute that has one number per spatial axis."""
    numbers = call.attribute(name, None) or [default] * count
    if len(numbers) != count:
        raise call.refuse(f"{name}={list(numbers)} for {count} spatial axes")
    return tuple(numbers)


def symmetric_end(call: Call, kernel: Any, strides: Any, before: Any, behind: Any) -> Any:
    """Returns `behind`, or `before` if it results in the same windows: exporters omit padding that no window reaches.

    kernel: the extent of a window.
    """
    space = call.shape()[2:]
    if before == behind or not is_static(space):
        return behind
    for n, k, s, b, a in zip(space, kernel, strides, before, behind, strict=True):
        if b < a or (n + 2 * b - k) // s != (n + b + a - k) // s:
            return behind
    return before


def pads_of(call: Call, kernel: Any, strides: Any,
            dilations: Any) -> tuple[Any, ...]:
    """Returns (before, behind) for each spatial axis."""
    count = len(kernel)
    mode = call.choice("auto_pad", "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER")
    if mode == "NOTSET":
        pads = tuple_of(call, "pads", 2 * count, 0)
        return tuple(pads[:count]), tuple(pads[count:])
    if mode == "VALID":
        return (0,) * count, (0,) * count
    space = call.shape()[2:]
    if not is_static(space):
        raise call.refuse(f"auto_pad={mode}: spatial lengths that the file leaves open")
    before, behind = [], []
    for n, size, stride, dilation in zip(space, kernel, strides, dilations, strict=True):
        total = max(0, (-(-n // stride) - 1) * stride + (size - 1) * dilation + 1 - n)
        small, large = total // 2, total - total // 2
        before.append(small if mode == "SAME_UPPER" else large)
        behind.append(large if mode == "SAME_UPPER" else small)
    return tuple(before), tuple(behind)
