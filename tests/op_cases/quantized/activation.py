"""Rows of the operators in `minigluon/ops/quantized/activation.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_LOW, _HIGH = fixed([-1.0], floating=False), fixed([2.0], floating=False)

case("_contrib_quantized_act", ints(3, 4, low=-128, high=128, dtype="int8"), _LOW, _HIGH, act_type="relu",
     oracle=_RECORDED, expect=lambda x, a, b: (np.maximum(x, 0), a, b))
