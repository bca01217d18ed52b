"""Rows of the operators in `minigluon/ops/math/broadcast.py`."""

import numpy as np

from ..case import case, fixed, ints, u


def trunc_divide(x, y):
    return np.trunc(x / y)


# operator, NumPy's answer, lower ends of lhs and rhs. The names of the two forms and of the one with a number follow.
ARITHMETIC = [
    ("broadcast_add", "elemwise_add", "_plus_scalar", lambda x, y: x + y, -2.0),
    ("broadcast_sub", "elemwise_sub", "_minus_scalar", lambda x, y: x - y, -2.0),
    ("broadcast_mul", "elemwise_mul", "_mul_scalar", lambda x, y: x * y, -2.0),
    ("broadcast_div", "elemwise_div", "_div_scalar", lambda x, y: x / y, 0.5),
    ("broadcast_mod", "_mod", "_mod_scalar", lambda x, y: x - y * np.floor(x / y), 0.5),
    ("broadcast_power", "_power", "_power_scalar", lambda x, y: np.exp(y * np.log(x)), 0.5),
    ("broadcast_maximum", "_maximum", "_maximum_scalar", lambda x, y: np.where(x > y, x, y), -2.0),
    ("broadcast_minimum", "_minimum", "_minimum_scalar", lambda x, y: np.where(x < y, x, y), -2.0),
    ("broadcast_hypot", "_hypot", "_hypot_scalar", lambda x, y: np.sqrt(x * x + y * y), 0.5),
]
for _broadcast, _elemwise, _, _expect, _low in ARITHMETIC:
    _a, _b = u(3, 1, 5, low=_low, high=2.5), u(1, 4, 5, low=_low, high=2.0)
    case(_broadcast, _a, _b, expect=_expect)
    case(_broadcast, u(2, 3, low=_low, high=2.5), u(2, 3, low=_low, high=2.0), expect=_expect)
    case(_elemwise, u(2, 3, low=_low, high=2.5), u(2, 3, low=_low, high=2.0), expect=_expect)
case("_grad_add", u(2, 3), u(2, 3), expect=np.add, grad=(), note="no gradient there")
case("_grad_add", u(2, 3), u(2, 3), expect=np.add, oracle="not differentiable there")

WHOLE = ints(3, 4, low=-9, high=9, dtype="int32")
_divisors = fixed([[3, -2, 5, -7]] * 3, "int32", floating=False)
case("broadcast_mod", WHOLE, _divisors, expect=lambda x, y: x - y * np.floor(x / y), note="int")
case("elemwise_div", WHOLE, _divisors, expect=trunc_divide, note="int")
case("broadcast_power", fixed([2, 3, -2, 1], "int32", floating=False), fixed([3, -1, 3, -2], "int32", floating=False),
     expect=lambda x, y: np.array([8, 0, -8, 1]), note="int")

# ties: the gradient goes to lhs; NumPy has no say in this, so MXNet's recording decides
_tie = fixed([1.0, 2.0, 3.0])
for _name in ("broadcast_maximum", "broadcast_minimum", "_maximum", "_minimum"):
    case(_name, _tie, fixed([2.0, 2.0, 2.0]), grad=(), note="tie")

CONDITIONS = [
    ("equal", np.equal), ("not_equal", np.not_equal), ("greater", np.greater), ("greater_equal", np.greater_equal),
    ("lesser", np.less), ("lesser_equal", np.less_equal), ("logical_and", np.logical_and),
    ("logical_or", np.logical_or), ("logical_xor", np.logical_xor),
]
for _name, _expect in CONDITIONS:
    _answer = lambda x, y, f=_expect: f(x, y) * 1.0
    _few = ints(3, 1, 5, low=-1, high=2)
    case(f"broadcast_{_name}", _few, ints(1, 4, 5, low=-1, high=2), expect=_answer)
    case(f"_{_name}", ints(3, 5, low=-1, high=2), ints(3, 5, low=-1, high=2), expect=_answer)
