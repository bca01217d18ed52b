"""Rows of the operators in `minigluon/ops/quantized/calibration.py`."""

import numpy as np

from ..case import case, fixed

_RECORDED = "in records.quantized_cases"
_counts = fixed([0, 3, 2, 5, 9, 6, 2, 1, 1], floating=False)

case("_contrib_calibrate_entropy", _counts, fixed(np.linspace(-1, 1, 10), floating=False), num_quantized_bins=9,
     oracle=_RECORDED, expect=lambda counts, edges: (np.float32([1]), np.float32([0])))
