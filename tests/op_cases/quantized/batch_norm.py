"""Rows of the operators in `minigluon/ops/quantized/batch_norm.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_ends = [fixed([value], floating=False) for value in (-1.0, 2.0)]
_stats = [fixed(values, floating=False) for values in ([1.0, 2.0], [0.5, -0.5], [0.1, 0.2], [1.0, 4.0])]


def _normalized(x, gamma, beta, mean, var, low, high):
    along = (1, 2, 1)
    real = (x * (2 / 127.5) - mean.reshape(along)) / np.sqrt(var + 1e-3).reshape(along)
    real = real * gamma.reshape(along) + beta.reshape(along)
    return np.rint(real * (127.5 / 4)).clip(-128, 127).astype("int8"), np.float32([-4]), np.float32([3])


case("_contrib_quantized_batch_norm", ints(3, 2, 4, low=-128, high=128, dtype="int8"), *_stats, *_ends,
     min_calib_range=-4.0, max_calib_range=3.0, oracle=_RECORDED, expect=_normalized)
