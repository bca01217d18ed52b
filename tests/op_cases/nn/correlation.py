"""Rows of the operators in `minigluon/ops/nn/correlation.py`."""

import numpy as np

from ..case import case, fixed, u

case("Correlation", u(2, 3, 5, 6), u(2, 3, 5, 6), max_displacement=1, pad_size=1, second=False)
case("Correlation", u(1, 2, 7, 6), u(1, 2, 7, 6), kernel_size=3, max_displacement=2, pad_size=3, stride1=2, stride2=2,
     second=False)
case("Correlation", u(1, 2, 5, 5), u(1, 2, 5, 5), max_displacement=1, pad_size=1, is_multiply=False, second=False)
# Real MXNet's gradients where some elements are equal.
case("_correlation_grad", fixed([[[[1, 1], [1, 1]]]]), fixed([[[[1, 2], [3, 4]]]]), fixed([[[[1, 5], [2, 4]]]]),
     grad=(), max_displacement=0, is_multiply=False, oracle="internal", note="equal elements",
     expect=lambda g, a, b: (np.array([[[[1, -1], [1, 1]]]]), np.array([[[[-1, 1], [-1, -1]]]])))
