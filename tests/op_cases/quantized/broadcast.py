"""Rows of the operators in `minigluon/ops/quantized/broadcast.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_ends = [fixed([value], floating=False) for value in (-1.0, 2.0, -1.0, 1.0)]
_x, _y = ints(3, 4, low=-128, high=128, dtype="int8"), ints(3, 4, low=-128, high=128, dtype="int8")

case("_contrib_quantized_elemwise_add", _x, _y, *_ends, min_calib_range=-4.0, max_calib_range=3.0, oracle=_RECORDED,
     expect=lambda x, y, *ends: (np.rint(x * 0.5 + y * 0.25).astype("int8"), np.float32([-4]), np.float32([3])))
case("_contrib_quantized_elemwise_mul", _x, _y, *_ends, enable_float_output=True, oracle=_RECORDED,
     expect=lambda x, y, *ends: x.astype("f") * y * (np.float32(2) / np.float32(127.5) / np.float32(127.5)))
case("_contrib_quantized_elemwise_mul", _x, _y, *_ends, oracle=_RECORDED, expect=lambda x, y, *ends: (
    x.astype("int32") * y, *[np.float32([sign * 2 * 2 ** 31 / 127 ** 2]) for sign in (-1, 1)]))
