"""Rows of the operators in `minigluon/ops/quantized/convolution.py`."""

import numpy as np

from ..case import case, fixed, ints

_ends = [fixed([value], floating=False) for value in (-1.0, 2.0, -1.0, 1.0)]


def _windows(x, w, *ends):
    """A convolution along one axis, with two groups of one filter each."""
    x, w = x.astype("int32"), w.astype("int32")
    out = np.stack([[np.correlate(x[n, f], w[f, 0]) for f in range(2)] for n in range(2)])
    return out.astype("int32"), *[np.float32([sign * 2 * 2 ** 31 / 127 ** 2]) for sign in (-1, 1)]


case("_contrib_quantized_conv", ints(2, 2, 7, low=-128, high=128, dtype="int8"),
     ints(2, 1, 3, low=-128, high=128, dtype="int8"), *_ends, kernel=(3,), num_filter=2, num_group=2, no_bias=True,
     expect=_windows, oracle="MXNet's processor version takes uint8 and one group alone")
