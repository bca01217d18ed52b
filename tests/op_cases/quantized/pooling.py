"""Rows of the operators in `minigluon/ops/quantized/pooling.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_LOW, _HIGH = fixed([-1.0], floating=False), fixed([2.0], floating=False)
_x = ints(2, 3, 6, low=-128, high=128, dtype="int8")

case("_contrib_quantized_pooling", _x, _LOW, _HIGH, kernel=(2,), stride=(2,), oracle=_RECORDED,
     expect=lambda x, a, b: (x.reshape(2, 3, 3, 2).max(-1), a, b))
case("_contrib_quantized_pooling", _x, _LOW, _HIGH, kernel=(3,), stride=(3,), pool_type="avg", oracle=_RECORDED,
     expect=lambda x, a, b: (np.rint(x.reshape(2, 3, 2, 3).mean(-1)).astype("int8"), a, b))
