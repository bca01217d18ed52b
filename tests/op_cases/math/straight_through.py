"""Rows of the operators in `minigluon/ops/math/straight_through.py`."""

import numpy as np

from ..case import case, fixed, u

_numbers = fixed([-1.5, 1.5, -1.9, 1.9, 2.7], floating=False)
case("_contrib_round_ste", _numbers, expect=lambda x: np.array([-2, 2, -2, 2, 3]))
case("_contrib_sign_ste", fixed([-2, 0, 3], floating=False), expect=np.sign)
# Their gradients are no derivatives: test_straight_through.py looks at them.
case("_contrib_gradientmultiplier", u(2, 3), grad=(), scalar=-0.5, expect=lambda x: x)
case("_contrib_gradientmultiplier", u(2, 3), expect=lambda x: x)
case("_contrib_quadratic", u(2, 3), a=1.0, b=2.0, c=3.0, expect=lambda x: x * x + 2 * x + 3)
case("_contrib_allclose", fixed([1000, 1e-7], floating=False), fixed([1000.02, 1e-8], floating=False),
     expect=lambda a, b: np.array(0))
case("_contrib_allclose", fixed([1000, 1e-8, np.nan, np.inf], floating=False),
     fixed([1000.005, 1e-9, np.nan, np.inf], floating=False), expect=lambda a, b: np.array(1))
case("_contrib_allclose", fixed([np.nan], floating=False), fixed([np.nan], floating=False), equal_nan=False,
     expect=lambda a, b: np.array(0))
