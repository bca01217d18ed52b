"""Rows of the operators in `minigluon/ops/quantized/shape.py`."""

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_LOW, _HIGH = fixed([-1.0], floating=False), fixed([2.0], floating=False)

case("_contrib_quantized_flatten", ints(2, 3, 4, low=-128, high=128, dtype="int8"), _LOW, _HIGH, oracle=_RECORDED,
     expect=lambda x, a, b: (x.reshape(2, 12), a, b))
