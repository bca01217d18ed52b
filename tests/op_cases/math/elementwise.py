"""Rows of the operators in `minigluon/ops/math/elementwise.py`."""

import math

import numpy as np

from ..case import case, distinct, fixed, ints, u

SIGNED = distinct(3, 5, low=-2.2, high=2.1)
_positive = u(3, 4, low=0.2, high=3.0)
_inside = u(2, 3, 2, low=-0.9, high=0.9)

ROWS = [    # operator, inputs, NumPy's answer
    ("identity", SIGNED, lambda x: x), ("negative", SIGNED, lambda x: 0 - x),
    ("abs", SIGNED, lambda x: np.where(x < 0, -x, x)), ("reciprocal", _positive, lambda x: 1 / x),
    ("square", SIGNED, lambda x: x * x), ("sqrt", _positive, lambda x: x ** 0.5),
    ("rsqrt", _positive, lambda x: x ** -0.5),
    ("cbrt", _positive, lambda x: x ** (1 / 3)), ("rcbrt", _positive, lambda x: x ** (-1 / 3)),
    ("exp", SIGNED, lambda x: math.e ** x), ("expm1", SIGNED, lambda x: np.exp(x) - 1), ("log", _positive, np.log),
    ("log2", _positive, lambda x: np.log(x) / np.log(2)), ("log10", _positive, lambda x: np.log(x) / np.log(10)),
    ("log1p", _positive, lambda x: np.log(1 + x)), ("sin", SIGNED, np.sin), ("cos", SIGNED, np.cos),
    ("tan", _inside, lambda x: np.sin(x) / np.cos(x)), ("arcsin", _inside, np.arcsin), ("arccos", _inside, np.arccos),
    ("arctan", SIGNED, np.arctan), ("sinh", SIGNED, lambda x: (np.exp(x) - np.exp(-x)) / 2),
    ("cosh", SIGNED, lambda x: (np.exp(x) + np.exp(-x)) / 2), ("tanh", SIGNED, lambda x: 1 - 2 / (np.exp(2 * x) + 1)),
    ("arcsinh", SIGNED, lambda x: np.log(x + np.sqrt(x * x + 1))),
    ("arccosh", u(3, 2, low=1.5, high=4.0), lambda x: np.log(x + np.sqrt(x * x - 1))),
    ("arctanh", _inside, lambda x: np.log((1 + x) / (1 - x)) / 2), ("degrees", SIGNED, lambda x: x * 180 / np.pi),
    ("radians", SIGNED, lambda x: x * np.pi / 180), ("relu", SIGNED, lambda x: np.where(x > 0, x, 0)),
    ("sigmoid", SIGNED, lambda x: 1 / (1 + np.exp(-x))), ("softsign", SIGNED, lambda x: x / (1 + np.abs(x))),
    ("erf", SIGNED, np.vectorize(math.erf)), ("gamma", u(3, 4, low=0.3, high=4.5), np.vectorize(math.gamma)),
    ("gamma", u(4, low=-1.9, high=-1.1), np.vectorize(math.gamma)),
    ("gammaln", u(3, 4, low=0.3, high=40.0), np.vectorize(math.lgamma)),
]
for _name, _maker, _expect in ROWS:
    case(_name, _maker, expect=_expect)

# arrays where each element of the answer is written down
_halves = fixed([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, -1.3, 1.3, 0.0], floating=False)
case("rint", _halves, expect=lambda x: np.array([-3, -2, -1, 0, 1, 2, -1, 1, 0]))
case("round", _halves, expect=lambda x: np.array([-3, -2, -1, 1, 2, 3, -1, 1, 0]))
case("ceil", _halves, expect=lambda x: np.array([-2, -1, 0, 1, 2, 3, -1, 2, 0]))
case("floor", _halves, expect=lambda x: np.array([-3, -2, -1, 0, 1, 2, -2, 1, 0]))
case("trunc", _halves, expect=lambda x: np.array([-2, -1, 0, 0, 1, 2, -1, 1, 0]))
case("fix", _halves, expect=lambda x: np.array([-2, -1, 0, 0, 1, 2, -1, 1, 0]))
case("sign", _halves, expect=lambda x: np.array([-1, -1, -1, 1, 1, 1, -1, 1, 0]))
case("logical_not", _halves, expect=lambda x: np.array([0, 0, 0, 0, 0, 0, 0, 0, 1]))
case("zeros_like", SIGNED, expect=lambda x: np.zeros((3, 5)))
case("ones_like", SIGNED, expect=lambda x: np.ones((3, 5)))
for _name in ("rint", "round", "ceil", "floor", "trunc", "fix", "sign"):
    case(_name, u(2, 3, low=0.1, high=0.4), note="no gradient")

case("erfinv", fixed([-0.9999, -0.5, 0.0, 0.25, 0.5204998778130465, 0.9]),
     expect=lambda x: np.array([-2.751063905712061, -0.4769362762044699, 0, 0.22531205501217808, 0.5,
                                1.1630871536766743]), grad=())
case("erfinv", u(3, 4, low=-0.9, high=0.9))
case("hard_sigmoid", distinct(3, 5, low=-4, high=4.1), expect=lambda x: np.clip(0.2 * x + 0.5, 0, 1))
case("hard_sigmoid", distinct(3, 5, low=-4, high=4.1), alpha=0.3, beta=0.25,
     expect=lambda x: np.clip(0.3 * x + 0.25, 0, 1))
case("smooth_l1", distinct(3, 5), expect=lambda x: np.where(abs(x) < 1, x * x / 2, abs(x) - 0.5))
case("smooth_l1", distinct(3, 5), scalar=2.0, expect=lambda x: np.where(abs(x) < 0.25, 2 * x * x, abs(x) - 0.125))
case("clip", SIGNED, a_min=-1.05, a_max=0.4, expect=lambda x: np.minimum(np.maximum(x, -1.05), 0.4))
case("_relu_grad", u(3, 4), distinct(3, 4), grad=(0,), expect=lambda g, y: np.where(y > 0, g, 0), oracle="internal")
case("_clip_grad", u(3, 4), distinct(3, 4), a_min=-1.0, a_max=0.3, grad=(0,), oracle="internal",
     expect=lambda g, x: np.where((x >= -1) & (x <= 0.3), g, 0))
case("BlockGrad", SIGNED, expect=lambda x: x, grad=())
case("make_loss", SIGNED, expect=lambda x: x, grad=())
case("sign", ints(3, 4, low=-2, high=3, dtype="int32"), expect=lambda x: (x > 0) * 1 - (x < 0) * 1, note="int")
case("sqrt", ints(3, 4, low=0, high=30, dtype="int32"), expect=lambda x: np.trunc(x ** 0.5), note="int")
case("floor", ints(3, 4, low=-5, high=5, dtype="int64"), expect=lambda x: x, note="int")
case("clip", ints(3, 4, low=-9, high=9, dtype="int32"), a_min=-2.5, a_max=3.5, note="int",
     expect=lambda x: np.trunc(np.clip(x, -2.5, 3.5)))

_special = fixed([1.0, math.nan, math.inf, -math.inf, 0.0], floating=False)
case("_contrib_isnan", _special, expect=lambda x: np.array([0, 1, 0, 0, 0]), oracle="a Python function there")
case("_contrib_isinf", _special, expect=lambda x: np.array([0, 0, 1, 1, 0]), oracle="a Python function there")
case("_contrib_isfinite", _special, expect=lambda x: np.array([1, 0, 0, 0, 1]), oracle="a Python function there")
case("_contrib_isinf", ints(3, dtype="int32"), expect=lambda x: np.zeros(3), note="int",
     oracle="a Python function there")
