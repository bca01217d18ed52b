"""Calls that copy elements or fill an array: the basis of transpose, concat, slice, pad, ...

To find source and target addresses, the operator's view is applied to an array with that shape but without memory, and
the strides of the result are used. The kernel `move` copies one view to another of the same shape.
"""

import math

import numpy as np

from minigluon.ops.numeric import cast

from ..engine import Call, Phase
from ..strides import StridedView, start
from .registry import parts, size

__all__ = ["among_constants", "copy", "fill", "move", "one_view", "unsupported"]


def move(item, source, target, view, target_view):
    """Returns the Phase that copies a view of operand `source` to an equally shaped view of operand `target`."""
    axes = [[n, a, b] for n, a, b in zip(view.shape, view.strides, target_view.strides, strict=True) if n != 1]
    axes.sort(key=lambda axis: -abs(axis[2]))
    merged = []
    for n, a, b in axes:
        if merged and merged[-1][1] == n * a and merged[-1][2] == n * b:
            merged[-1] = [merged[-1][0] * n, a, b]
        else:
            merged.append([n, a, b])
    while len(merged) < 2:
        merged.insert(0, [1, 0, 0])
    if abs(merged[-1][1]) != 1:         # a transpose: the source's contiguous axis comes before it
        dense = [axis for axis in merged[:-1] if abs(axis[1]) == 1]
        for axis in dense[:1]:
            merged.remove(axis)
            merged.insert(-1, axis)
    count, units = math.prod(n for n, _, _ in merged), math.prod(n for n, _, _ in merged[:-2]) * -(-merged[-2][0] // 16)
    numbers = [axis[k] for k in range(3) for axis in merged]
    return Phase("move", None, min(parts(count), units) if count else 0, item=item, source=source, target=target,
                 axes=len(merged), source_first=start(view), target_first=start(target_view), numbers=numbers)


def unsupported(*specs):
    """Returns the reason why `move` cannot copy these arrays, or None."""
    if any(spec.dtype.itemsize not in (1, 2, 4, 8) or spec.dtype.hasobject for spec in specs):
        return f"dtype {specs[0].dtype}"
    return "mixed dtypes" if any(spec.dtype != specs[0].dtype for spec in specs) else None


def one_view(spec, out, view):
    """Returns the Call that produces `out` from a view of the first input."""
    return unsupported(spec, out) or Call(move(spec.dtype.itemsize, 0, 1, view, StridedView(view.shape)))


def among_constants(data, out, view, value, target):
    """Returns the Call that fills `out`, which is operand `target`, with a value, and copies the first input to
    `view`."""
    return unsupported(data, out) or Call(fill_phase(out, value, target),
                                          move(out.dtype.itemsize, 0, target, StridedView(data.shape), view))


def fill(out, value, inputs=0):
    """Returns the Call that fills an array, which follows `inputs` inputs, with a value, converted as NumPy does."""
    return Call(fill_phase(out, value, inputs))


def fill_phase(out, value, target):
    """Returns the Phase that fills operand `target`."""
    bits = cast(np.array(value, np.float64), out.dtype).tobytes()
    count = size(out)
    return Phase("fill", None, parts(count), size=count, item=out.dtype.itemsize,
                 value=int.from_bytes(bits, "little", signed=True), target=target)


def copy(inputs, out):
    """Returns the Call that copies the elements of the first input in order."""
    if inputs[0].dtype != out.dtype:
        return f"from {inputs[0].dtype} to {out.dtype}"
    count = size(out)
    return Call(Phase("copy", None, parts(count), size=count, item=out.dtype.itemsize, target=len(inputs)))
