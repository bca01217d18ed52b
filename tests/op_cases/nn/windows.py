"""Rows of the operators in `minigluon/ops/nn/windows.py`."""

import numpy as np

from ..case import case, u


def columns(x, kernel, stride, dilate, pad):
    """im2col with a loop for everything."""
    n, c, h, w = x.shape
    x = np.pad(x, [(0, 0), (0, 0), (pad[0], pad[0]), (pad[1], pad[1])])
    high = [(m - d * (k - 1) - 1) // s + 1 for m, k, s, d in zip(x.shape[2:], kernel, stride, dilate)]
    out = np.empty((n, c, *kernel, *high), x.dtype)
    for ki, kj, i, j in np.ndindex(*kernel, *high):
        out[:, :, ki, kj, i, j] = x[:, :, i * stride[0] + ki * dilate[0], j * stride[1] + kj * dilate[1]]
    return out.reshape(n, c * kernel[0] * kernel[1], -1)


def back(y, size, *window):
    """col2im as the transpose of im2col, written out as a matrix."""
    channels = y.shape[1] // np.prod(window[0])
    unit = np.eye(channels * size[0] * size[1]).reshape(-1, channels, *size)
    matrix = columns(unit, *window).reshape(len(unit), -1)
    return (y.reshape(len(y), -1) @ matrix.T).reshape(len(y), channels, *size).astype(y.dtype)


_plain = ((2, 2), (1, 1), (1, 1), (0, 0))
_full = ((2, 3), (2, 1), (1, 2), (1, 2))
_named = dict(zip(("kernel", "stride", "dilate", "pad"), _full))
case("im2col", u(2, 1, 3, 3), kernel=(2, 2), expect=lambda x: columns(x, *_plain))
case("im2col", u(1, 2, 4, 5), **_named, expect=lambda x: columns(x, *_full))
case("im2col", u(2, 1, 5), kernel=(2,), stride=(2,), pad=(1,),
     expect=lambda x: np.pad(x, [(0, 0), (0, 0), (1, 1)])[:, 0, [[0, 2, 4], [1, 3, 5]]],
     oracle="MXNet crashes with one spatial axis")
case("col2im", u(2, 4, 4), kernel=(2, 2), output_size=(3, 3), expect=lambda y: back(y, (3, 3), *_plain))
case("col2im", u(1, 12, 15), output_size=(4, 5), **_named, expect=lambda y: back(y, (4, 5), *_full))
