"""Rows of the operators in `minigluon/ops/random/sample.py`."""

import numpy as np

from ..case import case, fixed, u

# Probabilities of zero and one leave no choice, so there is something to compare with.
case("_sample_multinomial", fixed([[0, 1, 0], [0, 0, 1]]), shape=(2,), grad=(),
     expect=lambda p: np.array([[1, 1], [2, 2]]))
case("_sample_multinomial", fixed([0, 0, 1, 0]), get_prob=True, grad=(),
     expect=lambda p: (np.array([2]), np.array([0.0])))
case("_sample_multinomial", u(2, 3, 4, low=0.2, high=1), shape=(2, 5), grad=(), oracle="random")
case("_sample_unique_zipfian", range_max=50, shape=(3, 7), oracle="random")
