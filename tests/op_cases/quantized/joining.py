"""Rows of the operators in `minigluon/ops/quantized/joining.py`."""

import numpy as np

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_ends = [fixed([value], floating=False) for value in (-1.0, 2.0, 0.0, 1.0)]

case("_contrib_quantized_concat", ints(2, 3, low=-128, high=128, dtype="int8"),
     ints(2, 2, low=-128, high=128, dtype="int8"), *_ends, num_args=2, oracle=_RECORDED,
     expect=lambda x, y, *ends: (np.concatenate([x, np.rint(y * 0.5).astype("int8")], 1), np.float32([-1]),
                                 np.float32([2])))
