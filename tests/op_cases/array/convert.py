"""Rows of the operators in `minigluon/ops/array/convert.py`."""

import math

import numpy as np

from ..case import case, fixed, ints, u
from ..math.elementwise import SIGNED

case("Cast", fixed([-1.5, 2.9, 300.0], floating=False), named={"dtype": "int32"},
     expect=lambda x: np.array([-1, 2, 300]))
case("Cast", SIGNED, named={"dtype": "float64"},
     expect=lambda x: x)
case("Cast", fixed([0, 1, 2], "uint8", floating=False), named={"dtype": "float32"},
     expect=lambda x: np.array([0.0, 1.0, 2.0]))
case("amp_cast", SIGNED, named={"dtype": "float64"}, expect=lambda x: x, oracle="MKL-DNN has no float64 there")
case("amp_cast", fixed([1, 2], "int32", floating=False), named={"dtype": "float16"},
     expect=lambda x: np.array([1, 2]))
case("amp_multicast", u(2, 3), u(4), num_outputs=2, expect=lambda a, b: (a, b),
     oracle="MKL-DNN has no float64 there")
case("_cast_like", u(2, 3), ints(2, 3), grad=(0,), expect=lambda a, b: a, oracle="internal")
case("MakeLoss", SIGNED, grad_scale=2.0, expect=lambda x: x, grad=())
case("_identity_with_attr_like_rhs", u(2, 3), u(2, 3), grad=(0,), expect=lambda a, b: a)
case("_copyto", u(2, 3), expect=lambda x: x, oracle="it needs out= there")
case("add_n", u(2, 3), u(2, 3), u(2, 3), expect=lambda a, b, c: a + b + c)
case("add_n", u(2, 3), expect=lambda a: a)
case("shape_array", u(2, 3, 4), expect=lambda x: np.array([2, 3, 4]), grad=())
case("size_array", u(2, 3, 4), expect=lambda x: np.array([24]), grad=())
case("all_finite", u(2, 3), expect=lambda x: np.array([1]), grad=())
case("all_finite", fixed([1.0, math.inf]), expect=lambda x: np.array([0]), grad=())
case("multi_all_finite", u(2, 3), u(4), num_arrays=2, expect=lambda a, b: np.array([1]), grad=())
case("multi_all_finite", u(2, 3), fixed([math.nan]), num_arrays=2, expect=lambda a, b: np.array([0]), grad=())
