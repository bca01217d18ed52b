"""Resize and Upsample: a matrix of weights for each axis, or the indices of the nearest elements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..... import symbol as sym
from ..table import operator
from .interpolation import matrix_of, places_of

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Upsample")
def upsample(call: Call) -> Symbol:
    scales = call.attribute("scales", None) or call.constant(1).tolist()
    return _resized(call, [int(np.floor(n * s)) for n, s in zip(call.static_shape(), scales, strict=True)], scales,
                    call.choice("mode", "nearest", "linear", "bilinear"), "asymmetric", "floor")


@operator("Resize")
def resize(call: Call) -> Symbol:
    mode = call.choice("mode", "nearest", "linear", "cubic")
    if call.opset < 11:
        scales = [float(s) for s in call.constant(1)]
        sizes = [int(np.floor(n * s)) for n, s in zip(call.static_shape(), scales, strict=True)]
        return _resized(call, sizes, scales, mode, "asymmetric", "floor")
    coordinates = call.attribute("coordinate_transformation_mode", "half_pixel")
    if coordinates == "tf_crop_and_resize":
        raise call.refuse("coordinate_transformation_mode='tf_crop_and_resize'")
    axes = call.attribute("axes", None)
    axes = list(range(call.rank())) if axes is None else [call.axis(axis) for axis in axes]
    sizes, scales = list(call.shape()), [1.0] * call.rank()
    if call.has(3) and call.constant(3).size:
        targets = [int(n) for n in call.constant(3)]
        lengths = [call.length(axis) for axis in axes]
        ratios = [n / length for n, length in zip(targets, lengths, strict=True)]
        policy = call.attribute("keep_aspect_ratio_policy", "stretch")
        if policy != "stretch":
            ratio = min(ratios) if policy == "not_larger" else max(ratios)
            ratios = [ratio] * len(axes)
            targets = [int(np.floor(ratio * length + 0.5)) for length in lengths]
        for axis, n, ratio in zip(axes, targets, ratios, strict=True):
            sizes[axis], scales[axis] = n, ratio
    else:
        for axis, scale in zip(axes, call.constant(2).tolist(), strict=True):
            scales[axis] = scale
            if scale != 1:
                sizes[axis] = int(np.floor(call.length(axis) * scale))
    return _resized(call, sizes, scales, mode, coordinates, call.attribute("nearest_mode", "round_prefer_floor"))


def _resized(call, sizes, scales, mode, coordinates, nearest_mode):
    x = call.data()
    for axis, (size, scale) in enumerate(zip(sizes, scales, strict=True)):
        if scale == 1 and size is call.shape()[axis]:
            continue
        if scale == 1 and isinstance(size, int) and size == call.shape()[axis]:
            continue
        length = call.length(axis)
        if size < 1 or length < 1:
            raise call.refuse(f"an axis of length {length} becomes one of {size}")
        call.allow(size)
        if mode == "nearest" and not call.attribute("antialias", 0):
            x = _nearest(call, x, axis, places_of(length, size, scale, coordinates, nearest_mode), length)
        else:
            call.allow(size * (length + 8 + int(8 / min(1, abs(scale)))))
            weights = matrix_of(length, size, scale, "linear" if mode == "bilinear" else mode, coordinates,
                                call.attribute("cubic_coeff_a", -0.75), bool(call.attribute("exclude_outside", 0)),
                                bool(call.attribute("antialias", 0)))
            x = _times(call, x, axis, weights)
    return sym.identity(x)


def _nearest(call, x, axis, places, length):
    times = len(places) // length if length else 0
    if times and np.array_equal(places, np.repeat(np.arange(length), times)):
        return sym.repeat(x, repeats=times, axis=axis)
    return sym.take(x, call.parameter(places, f"places{axis}"), axis=axis)


def _times(call, x, axis, weights):
    """Returns x with its axis multiplied by a matrix (out, in): dot contracts the last axis."""
    rank, dtype = call.rank(), call.dtype()
    matrix = call.parameter(np.ascontiguousarray(weights.T).astype(dtype), f"weights{axis}")
    if axis == rank - 1:
        return sym.dot(x, matrix)
    return sym.swapaxes(sym.dot(sym.swapaxes(x, dim1=axis, dim2=rank - 1), matrix), dim1=axis, dim2=rank - 1)
