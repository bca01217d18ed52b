"""Rows of the operators in `minigluon/ops/quantized/linear.py`."""

import numpy as np

from ..case import case, fixed, ints, plain, u

_RECORDED = "in records.quantized_cases"
_LOW, _HIGH = fixed([-1.0], floating=False), fixed([2.0], floating=False)
_x = plain(u(3, 4))

case("_contrib_quantize", _x, _LOW, _HIGH, out_type="int8", oracle=_RECORDED,
     expect=lambda x, a, b: (np.rint(x * 63.5).astype("int8"), np.float32([-2]), np.float32([2])))
case("_contrib_quantize", _x, _LOW, _HIGH, oracle=_RECORDED, expect=lambda x, a, b: (
    np.rint(np.maximum(x, 0) * 127.5).astype("uint8"), np.float32([-1]), np.float32([2])))
case("_contrib_quantize_v2", _x, min_calib_range=-1.0, max_calib_range=0.5, oracle=_RECORDED, expect=lambda x: (
    np.clip(np.rint(x * 127.5), -128, 127).astype("int8"), np.float32([-1]), np.float32([1])))
case("_contrib_requantize", ints(3, 4, low=-2 ** 30, high=2 ** 30, dtype="int32"), _LOW, _HIGH, min_calib_range=-1.0,
     max_calib_range=1.0, oracle=_RECORDED,
     expect=lambda x, a, b: (np.rint(x * (127 / 2 ** 30)).clip(-128, 127).astype("int8"), np.float32([-1]),
                             np.float32([1])))
case("_contrib_dequantize", ints(3, 4, low=-128, high=128, dtype="int8"), _LOW, _HIGH, oracle=_RECORDED,
     expect=lambda x, a, b: x * (np.float32(2) / np.float32(127.5)))
