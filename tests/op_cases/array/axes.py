"""Rows of the operators in `minigluon/ops/array/axes.py`."""

import numpy as np

from ..case import case, u

case("transpose", u(2, 3), expect=lambda x: x.T)
case("transpose", u(2, 3, 4), expect=lambda x: x.T)
case("transpose", u(2, 3, 4), axes=(1, 2, 0), expect=lambda x: x.transpose(1, 2, 0))
case("transpose", u(2, 3, 4, 5), axes=(0, 3, 1, 2), expect=lambda x: np.moveaxis(x, 3, 1))
case("SwapAxis", u(2, 3, 4), dim1=0, dim2=2, expect=lambda x: x.swapaxes(0, 2))
case("SwapAxis", u(2, 3, 4), dim1=-1, dim2=1, expect=lambda x: x.swapaxes(2, 1))
case("SwapAxis", u(2, 3, 4), expect=np.copy)
case("reverse", u(2, 3), axis=0, expect=lambda x: x[::-1])
case("reverse", u(2, 3, 2), axis=(0, 2), expect=lambda x: x[::-1, :, ::-1])
case("reverse", u(2, 3), axis=-1, expect=lambda x: x[:, ::-1], oracle="MXNet refuses negative axes")
case("depth_to_space", u(2, 8, 2, 3), block_size=2, expect=lambda x: _spread(x, 2))
case("depth_to_space", u(1, 9, 1, 2), block_size=3, expect=lambda x: _spread(x, 3))
case("space_to_depth", u(2, 2, 4, 6), block_size=2, expect=lambda x: _gather(x, 2))
case("space_to_depth", u(1, 1, 3, 6), block_size=3, expect=lambda x: _gather(x, 3))


def _spread(x, b):
    """Every pixel from its own formula."""
    n, c, h, w = x.shape
    out = np.empty((n, c // b ** 2, h * b, w * b), x.dtype)
    for i in range(b):
        for j in range(b):
            out[:, :, i::b, j::b] = x[:, (i * b + j) * (c // b ** 2):(i * b + j + 1) * (c // b ** 2)]
    return out


def _gather(x, b):
    return np.concatenate([x[:, :, i::b, j::b] for i in range(b) for j in range(b)], axis=1)
