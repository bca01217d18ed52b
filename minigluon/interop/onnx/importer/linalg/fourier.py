"""Fourier transforms as products with matrices of cosines and sines, whose sizes are determined by the file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("DFT")
def dft(call: Call) -> Symbol:
    """Transforms real or complex numbers, for which the last axis has length 1 or 2."""
    rank = call.rank()
    if call.opset >= 20:
        axis = int(call.constant(2).item()) if call.has(2) else -2
    else:
        axis = call.attribute("axis", 1)
    axis, inverse = call.axis(axis), bool(call.attribute("inverse", 0))
    one_sided, length = bool(call.attribute("onesided", 0)), call.length(axis)
    count = 2 * (length - 1) if inverse and one_sided else length
    if call.has(1):
        count = int(call.constant(1).item())
    if axis == rank - 1 or count < 1:
        raise call.refuse(f"axis {axis} of an array of rank {rank}, {count} elements")
    return transformed(call, call.data(), axis, length, call.length(-1), count, inverse, one_sided)


def transformed(call: Call, x: Any, axis: int, length: int, parts: Any, count: int, inverse: Any,
                one_sided: Any) -> Symbol:
    """Returns x (..., length, ..., parts) transformed along `axis`, which is cropped or zero-padded to `count`."""
    used = min(length, count // 2 + 1 if inverse and one_sided else count)
    rows = count // 2 + 1 if one_sided and not inverse else count
    call.allow(4 * rows * used)
    angle = 2 * np.pi * (np.outer(np.arange(used), np.arange(rows)) % count) / count * (1 if inverse else -1)
    scale = np.full((used, 1), 1 / count if inverse else 1.0)
    if inverse and one_sided:       # the omitted half is the mirror image
        scale[1:(count + 1) // 2] *= 2
    cosine, sine = np.cos(angle) * scale, np.sin(angle) * scale
    matrix = np.stack([np.stack([cosine, sine], -1), np.stack([-sine, cosine], -1)], 1)     # (used, in, rows, out)
    results = 1 if inverse and one_sided else 2
    matrix = matrix[:, :parts, :, :results].reshape(used * parts, rows * results)
    rank = call.graph.rank_of(x)
    order = [i for i in range(rank - 1) if i != axis]
    if used < length:
        x = sym.slice_axis(x, axis=axis, begin=0, end=used)
    x = sym.reshape(sym.transpose(x, axes=(*order, axis, rank - 1)), shape=(0,) * len(order) + (-3,))
    result = sym.dot(x, call.parameter(matrix.astype(call.dtype()), f"matrix{axis}"))
    result = sym.reshape(result, shape=(0,) * len(order) + (-4, rows, results))
    back = [rank - 2 if i == axis else i - (i > axis) for i in range(rank - 1)]
    return sym.transpose(result, axes=(*back, rank - 1))


@operator("STFT")
def stft(call: Call) -> Symbol:
    """Translates signal (N, samples, parts), step, window and frame length to (N, frames, frequencies, 2)."""
    step = int(call.constant(1).item())
    length = int(call.constant(3).item()) if call.has(3) else call.length(0, 2)
    samples = call.length(1)
    frames = 1 + (samples - length) // step if step > 0 and length > 0 else 0
    if frames < 1:
        raise call.refuse(f"frames of {length} samples from {samples}")
    call.allow(frames * length)
    places = np.arange(frames)[:, None] * step + np.arange(length)
    x = sym.take(call.data(), call.parameter(places.astype(np.int64), "places"), axis=1)
    if call.has(2):
        x = sym.broadcast_mul(x, sym.reshape(call.data(2), shape=(1, 1, length, 1)))
    return transformed(call, x, 2, length, call.length(-1), length, False, bool(call.attribute("onesided", 1)))
