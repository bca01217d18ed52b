import numpy as np

from .case import case, fixed, ints, u


def _trunc_divide(x, y):
    return np.trunc(x / y)


# operator, NumPy's answer, lower ends of lhs and rhs. The names of the two forms and of the one with a number follow.
_ARITHMETIC = [
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
for _broadcast, _elemwise, _scalar, _expect, _low in _ARITHMETIC:
    _a, _b = u(3, 1, 5, low=_low, high=2.5), u(1, 4, 5, low=_low, high=2.0)
    case(_broadcast, _a, _b, expect=_expect)
    case(_broadcast, u(2, 3, low=_low, high=2.5), u(2, 3, low=_low, high=2.0), expect=_expect)
    case(_elemwise, u(2, 3, low=_low, high=2.5), u(2, 3, low=_low, high=2.0), expect=_expect)
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
case("_grad_add", u(2, 3), u(2, 3), expect=np.add, grad=(), note="no gradient there")
case("_grad_add", u(2, 3), u(2, 3), expect=np.add, oracle="not differentiable there")

_i, _j = ints(3, 4, low=-9, high=9, dtype="int32"), fixed([[3, -2, 5, -7]] * 3, "int32", floating=False)
case("broadcast_mod", _i, _j, expect=lambda x, y: x - y * np.floor(x / y), note="int")
case("elemwise_div", _i, _j, expect=_trunc_divide, note="int")
case("_div_scalar", _i, scalar=2.0, expect=lambda x: _trunc_divide(x, 2), note="negative int")
case("_div_scalar", _i, scalar=2.5, expect=lambda x: _trunc_divide(x, 2), note="int by a fraction")
case("_mul_scalar", _i, scalar=2.5, expect=lambda x: x * 2, note="int by a fraction")
case("_rdiv_scalar", ints(2, 3, low=1, high=9, dtype="int32"), scalar=-20.0, expect=lambda x: _trunc_divide(-20, x),
     note="int")
case("_mod_scalar", _i, scalar=-3.0, expect=lambda x: x + 3 * np.floor(x / -3), note="int")
case("broadcast_power", fixed([2, 3, -2, 1], "int32", floating=False), fixed([3, -1, 3, -2], "int32", floating=False),
     expect=lambda x, y: np.array([8, 0, -8, 1]), note="int")
case("_power_scalar", fixed([2, 3, 1], "int32", floating=False), scalar=-1.0, expect=lambda x: np.array([0, 0, 1]),
     note="int to a negative power")
case("_plus_scalar", fixed([1, 200], "uint8", floating=False), scalar=300.0, expect=lambda x: np.array([45, 244]),
     note="uint8 wraps")
case("_maximum_scalar", _i, scalar=2.5, expect=lambda x: np.maximum(x, 2), note="int and a fraction")

# ties: the gradient goes to lhs; NumPy has no say in this, so MXNet's recording decides
_tie = fixed([1.0, 2.0, 3.0])
for _name in ("broadcast_maximum", "broadcast_minimum", "_maximum", "_minimum"):
    case(_name, _tie, fixed([2.0, 2.0, 2.0]), grad=(), note="tie")

_CONDITIONS = [
    ("equal", np.equal), ("not_equal", np.not_equal), ("greater", np.greater), ("greater_equal", np.greater_equal),
    ("lesser", np.less), ("lesser_equal", np.less_equal), ("logical_and", np.logical_and),
    ("logical_or", np.logical_or), ("logical_xor", np.logical_xor),
]
for _name, _expect in _CONDITIONS:
    _answer = lambda x, y, f=_expect: f(x, y) * 1.0
    _few = ints(3, 1, 5, low=-1, high=2)
    case(f"broadcast_{_name}", _few, ints(1, 4, 5, low=-1, high=2), expect=_answer)
    case(f"_{_name}", ints(3, 5, low=-1, high=2), ints(3, 5, low=-1, high=2), expect=_answer)
    case(f"_{_name}_scalar", _few, scalar=1.0, expect=lambda x, f=_expect: f(x, 1) * 1.0)
    case(f"_{_name}_scalar", ints(3, 5, low=1, high=4, dtype="int32"), scalar=2.5, note="int",
         expect=lambda x, f=_expect: f(x, 2) * 1)
    case(f"_{_name}_scalar", u(2, 3), scalar=0.0, expect=lambda x, f=_expect: f(x, 0) * 1.0, note="gradient")

# -- stretching -----------------------------------------------------------------------------------------------------

case("broadcast_to", u(2, 1, 3, 1), shape=(2, 4, 0, 5), expect=lambda x: np.repeat(np.repeat(x, 4, 1), 5, 3))
case("broadcast_to", u(3), shape=(2, 3), expect=lambda x: np.stack([x, x]), oracle="MXNet adds no axes here")
case("broadcast_axis", u(2, 1, 3, 1), axis=(1, 3), size=(4, 2), expect=lambda x: np.repeat(np.repeat(x, 4, 1), 2, 3))
case("broadcast_axis", u(2, 1, 3), axis=1, size=2, expect=lambda x: np.repeat(x, 2, 1))
case("broadcast_like", u(1, 3, 1), u(2, 3, 4), grad=(0,), expect=lambda x, y: np.repeat(np.repeat(x, 2, 0), 4, 2))
case("broadcast_like", u(1, 2), u(3, 4), grad=(0,), lhs_axes=(0,), rhs_axes=(-1,),
     expect=lambda x, y: np.repeat(x, 4, 0))
case("_sum_like", u(2, 3, 4), u(3, 1), grad=(0,), expect=lambda x, y: x.sum((0, 2), keepdims=True)[0],
     oracle="internal")
case("_stretch_like", u(3, 1), u(2, 3, 4), grad=(0,), oracle="internal",
     expect=lambda x, y: np.stack([np.repeat(x, 4, 1)] * 2))
