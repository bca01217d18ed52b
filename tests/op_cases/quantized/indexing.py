"""Rows of the operators in `minigluon/ops/quantized/indexing.py`."""

from ..case import case, fixed, ints

_RECORDED = "in records.quantized_cases"
_ends = [fixed([value], floating=False) for value in (-1.0, 2.0)]

case("_contrib_quantized_embedding", ints(2, 3, high=4), ints(4, 2, low=-128, high=128, dtype="int8"), *_ends,
     input_dim=4, output_dim=2, oracle=_RECORDED, expect=lambda i, w, a, b: (w[i.astype(int)], a, b))
