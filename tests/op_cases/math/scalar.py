"""Rows of the operators in `minigluon/ops/math/scalar.py`."""

import numpy as np

from ..case import case, fixed, ints, u
from .broadcast import ARITHMETIC, CONDITIONS, WHOLE, trunc_divide

for _, _, _scalar, _expect, _low in ARITHMETIC:
    case(_scalar, u(2, 5, low=_low, high=2.5), scalar=1.3, expect=lambda x, f=_expect: f(x, 1.3))
    case(_scalar, ints(2, 5, low=1, high=9, dtype="int32"), scalar=3.0, note="int",
         expect=lambda x, f=_expect: np.trunc(np.round(f(x, 3), 9)))
case("_minus_scalar", u(2, 3), scalar=-0.7, expect=lambda x: x + 0.7)
case("_rminus_scalar", u(2, 3), scalar=1.3, expect=lambda x: 1.3 - x)
case("_rdiv_scalar", u(2, 3, low=0.5, high=2.0), scalar=-1.3, expect=lambda x: -1.3 / x)
case("_rmod_scalar", u(2, 3, low=0.5, high=2.0), scalar=3.1, expect=lambda x: 3.1 - x * np.floor(3.1 / x))
case("_rpower_scalar", u(2, 3), scalar=1.7, expect=lambda x: np.exp(x * np.log(1.7)))
case("_power_scalar", u(2, 3, low=-2.0, high=2.0), scalar=3.0, expect=lambda x: x * x * x)
case("_mod_scalar", u(2, 3, low=-5.0, high=5.0), scalar=-1.9, expect=lambda x: x + 1.9 * np.floor(x / -1.9))
case("_mod_scalar", u(2, 3), scalar=0.0, expect=np.zeros_like, note="by zero", grad=())
case("_div_scalar", WHOLE, scalar=2.0, expect=lambda x: trunc_divide(x, 2), note="negative int")
case("_div_scalar", WHOLE, scalar=2.5, expect=lambda x: trunc_divide(x, 2), note="int by a fraction")
case("_mul_scalar", WHOLE, scalar=2.5, expect=lambda x: x * 2, note="int by a fraction")
case("_rdiv_scalar", ints(2, 3, low=1, high=9, dtype="int32"), scalar=-20.0, expect=lambda x: trunc_divide(-20, x),
     note="int")
case("_mod_scalar", WHOLE, scalar=-3.0, expect=lambda x: x + 3 * np.floor(x / -3), note="int")
case("_power_scalar", fixed([2, 3, 1], "int32", floating=False), scalar=-1.0, expect=lambda x: np.array([0, 0, 1]),
     note="int to a negative power")
case("_plus_scalar", fixed([1, 200], "uint8", floating=False), scalar=300.0, expect=lambda x: np.array([45, 244]),
     note="uint8 wraps")
case("_maximum_scalar", WHOLE, scalar=2.5, expect=lambda x: np.maximum(x, 2), note="int and a fraction")
for _name, _expect in CONDITIONS:
    case(f"_{_name}_scalar", ints(3, 1, 5, low=-1, high=2), scalar=1.0, expect=lambda x, f=_expect: f(x, 1) * 1.0)
    case(f"_{_name}_scalar", ints(3, 5, low=1, high=4, dtype="int32"), scalar=2.5, note="int",
         expect=lambda x, f=_expect: f(x, 2) * 1)
    case(f"_{_name}_scalar", u(2, 3), scalar=0.0, expect=lambda x, f=_expect: f(x, 0) * 1.0, note="gradient")
