"""Rows of the operators in `minigluon/ops/quantized/matrix.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_ends = [fixed([value], floating=False) for value in (-1.0, 2.0, -1.0, 1.0, -0.5, 0.5)]
_x, _w = ints(3, 2, 2, low=0, high=256, dtype="uint8"), ints(5, 4, low=-128, high=128, dtype="int8")


def _range(bits):
    return [np.float32([sign * 2 * 2 ** 31 / bits / 127]) for sign in (-1, 1)]


case("_contrib_quantized_fully_connected", _x, _w, *_ends[:4], num_hidden=5, no_bias=True, oracle=_RECORDED,
     expect=lambda x, w, *ends: (x.reshape(3, 4).astype("int32") @ w.T.astype("int32"), *_range(255)))
case("_contrib_quantized_fully_connected", ints(3, 4, low=-128, high=128, dtype="int8"), _w,
     ints(5, low=-128, high=128, dtype="int8"), *_ends, num_hidden=5, oracle=_RECORDED,
     expect=lambda x, w, b, *ends: (x.astype("int32") @ w.T.astype("int32") + np.trunc(b * 31.875).astype("int32"),
                                    *_range(127)))
