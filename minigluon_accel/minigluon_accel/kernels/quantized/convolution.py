"""Convolutions of integers. Kernels take images with channels last."""

import math
from functools import partial

from ..registry import kernel_for
from .linear import turn
from .matrix import Sizes, product_call

__all__ = ["sizes_of", "turns_of", "unsupported"]


def unsupported(geometry, *shapes):
    """Returns the reason why a convolution has no kernel, or None. shapes: those of data, weight and result."""
    if geometry.last:
        return "channels last"
    if len(geometry.kernel) > 2:
        return f"{len(geometry.kernel)} axes of space"
    return "no elements" if any(0 in shape for shape in shapes) else None


def sizes_of(geometry, data, weight, result):
    """Returns the Sizes of a convolution. data, weight, result: shapes with channels first.

    If each window is one pixel, all images together are one line.
    """
    more = 2 - len(geometry.kernel)
    height, width = (1,) * more + tuple(data[2:])
    out_height, out_width = (1,) * more + tuple(result[2:])
    taps, steps, apart, pads = [(missing,) * more + tuple(values) for values, missing in (
        (geometry.kernel, 1), (geometry.stride, 1), (geometry.dilate, 1), (geometry.pad, 0))]
    batch, channels, filters = data[0], data[1], weight[0]
    if taps == steps == (1, 1) and pads == (0, 0) and geometry.groups == 1:
        pixels = batch * height * width
        return Sizes(1, 1, 1, pixels, channels, 1, pixels, filters)
    return Sizes(batch, geometry.groups, height, width, channels, out_height, out_width, filters, *taps, *steps, *apart,
                 *pads)


def turns_of(data, result):
    """Returns the functions `(source, out)` -> Phase that move the channels of data to the end, and those of the result
    back. data, result: Specs of images with channels first."""
    before = data.shape[0], data.shape[1], math.prod(data.shape[2:]), data.dtype.itemsize
    after = result.shape[0], math.prod(result.shape[2:]), result.shape[1], result.dtype.itemsize
    return partial(turn, *before), partial(turn, *after)


@kernel_for("_contrib_quantized_conv")
def quantized_conv(op, inputs, outputs):
    geometry, shapes = op.layer().geometry(), [spec.shape for spec in (*inputs[:2], outputs[0])]
    return unsupported(geometry, *shapes) or product_call(
        op, sizes_of(geometry, *shapes), inputs, outputs, turns_of(inputs[0], outputs[0]))
