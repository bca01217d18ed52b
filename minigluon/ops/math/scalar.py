"""Operators on an array and a number: a table like the one in `broadcast.py`.

The number is converted to the array's dtype, so an integer array times 2.5 is the array times 2. Boolean arrays count
as int64.
"""

import math

import numpy as np

from ..kinds import Elementwise
from ..numeric import cast, in_floats
from ..registry import define
from .broadcast import COMPARISONS, compare, divide, for_reals, modulo, power

__all__ = ["Scalar"]


class Scalar(Elementwise):
    """`compute(data, scalar)` with the scalar in the dtype of data; `derivative(F, g, x, scalar, y)`."""

    scalar: float = 1.0
    is_int: bool = True

    def infer_dtype(self, data):
        return [data], [np.dtype("int64") if data is not None and data.kind == "b" else data]

    def forward(self, data):
        if data.dtype.kind == "b":
            data = data.astype("int64")
        return self.compute(data, cast(np.array(self.scalar), data.dtype))

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, out_grads[0], inputs[0], self.scalar, outputs[0])


def _zero(F, g, x, s, y):
    """Returns zeros, or None for the gradient of a mask of `mx.np`: booleans cannot be added to other gradients."""
    return None if getattr(g, "dtype", None) == np.bool_ else F.zeros_like(g)


def scalar(name, compute, derivative, doc, aliases=(), keeps=("inputs",)):
    """Registers an operator that takes an array and a number. derivative: None means zero gradient."""
    derivative = derivative or _zero
    define(name, ["data"], Scalar, doc, aliases, compute=compute, derivative=derivative, keeps=tuple(keeps))


def from_left(compute):
    """Returns `compute` with the number as the first argument."""
    def forward(x, s):
        return compute(s, x)
    forward.left = compute
    return forward


def _power_derivative(F, g, x, s, y):
    # for s = 0, s·xˢ⁻¹ would be 0 · ∞ at x = 0
    return g * s * x ** (s - 1) if s else F.zeros_like(g)


def _reversed_power_derivative(F, g, x, s, y):
    if s <= 0:
        return g * y * (math.nan if s else -math.inf)
    return g * y * math.log(s)


scalar("_plus_scalar", np.add, lambda F, g, x, s, y: g, "data + scalar", ["_PlusScalar"], keeps=())
scalar("_minus_scalar", np.subtract, lambda F, g, x, s, y: g, "data - scalar", ["_MinusScalar"], keeps=())
scalar("_rminus_scalar", from_left(np.subtract), lambda F, g, x, s, y: -g, "scalar - data", ["_RMinusScalar"],
       keeps=())
scalar("_mul_scalar", np.multiply, lambda F, g, x, s, y: g * s, "data · scalar", ["_MulScalar"], keeps=())
scalar("_div_scalar", divide, lambda F, g, x, s, y: g / s, "data / scalar", ["_DivScalar"], keeps=())
scalar("_rdiv_scalar", from_left(divide), lambda F, g, x, s, y: -s * g / x / x, "scalar / data",
       ["_RDivScalar"])
scalar("_mod_scalar", modulo, lambda F, g, x, s, y: for_reals(g),
       "the remainder of data / scalar, with the sign of scalar, 0 if that is 0", ["_ModScalar"], keeps=())
scalar("_rmod_scalar", from_left(modulo), lambda F, g, x, s, y: -for_reals(g) * F.floor(s / x),
       "the remainder of scalar / data, with the sign of data, 0 where that is 0", ["_RModScalar"])
scalar("_power_scalar", power, _power_derivative, "data to the power of scalar", ["_PowerScalar"])
scalar("_rpower_scalar", from_left(power), _reversed_power_derivative,
       "scalar to the power of data", ["_RPowerScalar"], keeps=("outputs",))
scalar("_maximum_scalar", np.maximum, lambda F, g, x, s, y: g * (x >= s), "the larger of data and scalar",
       ["_MaximumScalar"])
scalar("_minimum_scalar", np.minimum, lambda F, g, x, s, y: g * (x <= s), "the smaller of data and scalar",
       ["_MinimumScalar"])
scalar("_hypot_scalar", in_floats(np.hypot), lambda F, g, x, s, y: x / y * g, "√(data² + scalar²)",
       ["_HypotScalar"], keeps=("inputs", "outputs"))

for _name, _ufunc, _old, _says, _ in COMPARISONS:
    _says = _says.replace("lhs", "data").replace("rhs", "scalar")
    scalar(f"_{_name}_scalar", compare(_ufunc), None, f"1 where {_says}, else 0, in the dtype of data",
           [f"_{_old.replace('_', '')}Scalar"], keeps=())
