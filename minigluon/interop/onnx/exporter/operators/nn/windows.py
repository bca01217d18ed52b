"""im2col and col2im as convolutions, in which each filter sees only one element of a window."""

import numpy as np

from ...helpers import size_of
from ...table import translates

__all__ = []


def _taps(g, op, channels, dtype):
    """Returns the filters (channels * elements of the kernel, 1, *kernel)."""
    count = int(np.prod(op.kernel))
    return g.constant(np.tile(np.eye(count, dtype=dtype).reshape(count, 1, *op.kernel),
                              (channels, 1, *(1,) * len(op.kernel))))


@translates("im2col")
def im2col(g, op, data):
    kernel, stride, dilate, pad = map(list, op.settings())
    channels = data.shape[1]
    columns = g.Conv(data, _taps(g, op, channels, data.dtype), kernel_shape=kernel, strides=stride, dilations=dilate,
                     pads=pad * 2, group=channels)
    return g.reshape(columns, g.specs[0][0])


@translates("col2im")
def col2im(g, op, data):
    kernel, stride, dilate, pad = map(list, op.settings())
    counts = op.counts(op.output_size)
    channels = data.shape[1] // size_of(kernel)
    planes = g.reshape(data, (*data.shape[:2], *counts))
    beyond = [n - ((c - 1) * s - 2 * p + d * (k - 1) + 1)
              for n, c, s, p, d, k in zip(op.output_size, counts, stride, pad, dilate, kernel, strict=True)]
    return g.ConvTranspose(planes, _taps(g, op, channels, data.dtype), kernel_shape=kernel, strides=stride,
                           dilations=dilate, pads=pad * 2, output_padding=beyond, group=channels)
