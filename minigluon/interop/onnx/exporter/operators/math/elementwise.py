"""Elementwise functions: a table of ONNX operators by name, and a table of formulas."""

import math

import numpy as np

from ...table import translates

__all__ = []

_SAME = {"abs": "Abs", "arccos": "Acos", "arccosh": "Acosh", "arcsin": "Asin", "arcsinh": "Asinh", "arctan": "Atan",
         "arctanh": "Atanh", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "log": "Log", "negative": "Neg",
         "reciprocal": "Reciprocal", "relu": "Relu", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin",
         "sinh": "Sinh", "softsign": "Softsign", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh", "ceil": "Ceil",
         "floor": "Floor"}
_INTEGERS = {"Abs", "Neg", "Sign"}              # the functions that ONNX also defines for integers


def _row(name, formula, integers=False):
    """Registers a formula.

    integers: whether the formula is valid for integers; otherwise they are computed in float32.
    """
    @translates(name)
    def unary(g, op, x):
        if integers or x.dtype.kind == "f":
            return formula(g, x)
        return g.cast(formula(g, g.cast(x, np.float32)), x.dtype)


for _name, _other in _SAME.items():
    _row(_name, lambda g, x, other=_other: g.call(other, x), integers=_other in _INTEGERS)


def _trunc(g, x):
    return g.Sign(x) * g.Floor(g.Abs(x))


def _question(g, x, answer):
    return g.cast(answer, x.dtype)


_row("rint", lambda g, x: g.Ceil(x - 0.5))
_row("round", lambda g, x: g.Sign(x) * g.Floor(g.Abs(x) + 0.5))
_row("trunc", _trunc)
_row("fix", _trunc)
_row("logical_not", lambda g, x: _question(g, x, g.is_false(x)), integers=True)
_row("zeros_like", lambda g, x: g.filled(x.shape, 0, x.dtype), integers=True)
_row("ones_like", lambda g, x: g.filled(x.shape, 1, x.dtype), integers=True)
_row("_contrib_isnan", lambda g, x: _question(g, x, g.IsNaN(x)))
_row("_contrib_isinf", lambda g, x: _question(g, x, g.IsInf(x)))
_row("_contrib_isfinite", lambda g, x: _question(g, x, g.Not(g.Or(g.IsNaN(x), g.IsInf(x)))))
_row("square", lambda g, x: x * x, integers=True)
_row("rsqrt", lambda g, x: 1.0 / g.Sqrt(x))
_row("cbrt", lambda g, x: g.Sign(x) * g.Abs(x) ** (1 / 3))
_row("rcbrt", lambda g, x: 1.0 / (g.Sign(x) * g.Abs(x) ** (1 / 3)))
_row("log2", lambda g, x: g.Log(x) / math.log(2))
_row("log10", lambda g, x: g.Log(x) / math.log(10))
_row("degrees", lambda g, x: x * (180 / math.pi))
_row("radians", lambda g, x: x * (math.pi / 180))
_row("_contrib_round_ste", lambda g, x: g.Sign(x) * g.Floor(g.Abs(x) + 0.5))
_row("_contrib_sign_ste", lambda g, x: g.Sign(x), integers=True)
_row("_contrib_gradientmultiplier", lambda g, x: x, integers=True)


@translates("log1p")
def log1p(g, op, x):
    """Computes log(u) x / (u - 1), where u is 1 + x rounded, which is accurate near 0."""
    u = x + 1.0
    near = g.Equal(u, g.like(1.0, u))
    return g.where(near, x, g.Log(u) * x / g.where(near, g.like(1.0, u), u - 1.0))


@translates("expm1")
def expm1(g, op, x):
    """Computes 2 sinh(x / 2) e^(x / 2), which is accurate near 0."""
    half = x * 0.5
    return 2.0 * g.Sinh(half) * g.Exp(half)


@translates("identity", "BlockGrad", "make_loss", "MakeLoss", "_copyto", "cast_storage", "_identity_with_attr_like_rhs")
def unchanged(g, op, x, *others):
    return x


@translates("hard_sigmoid")
def hard_sigmoid(g, op, x):
    return g.HardSigmoid(x, alpha=op.alpha, beta=op.beta)


@translates("smooth_l1")
def smooth_l1(g, op, x):
    square, size = op.scalar ** 2, g.Abs(x)
    return g.where(size < 1 / square, x * x * (square / 2), size - 0.5 / square)


@translates("clip")
def clip(g, op, x):
    if x.dtype.kind != "f":
        return g.cast(g.Clip(g.cast(x, np.float32), op.a_min, op.a_max), x.dtype)
    return g.Clip(x, op.a_min, op.a_max)


@translates("_contrib_quadratic")
def quadratic(g, op, x):
    return op.a * x * x + op.b * x + op.c


@translates("_relu_grad")
def relu_grad(g, op, grad, y):
    return g.where(y > 0, grad, 0)


@translates("_clip_grad")
def clip_grad(g, op, grad, data):
    outside = g.Or(data < op.a_min, data > op.a_max)
    return g.where(outside, g.like(0, grad), grad)


@translates("_contrib_allclose")
def allclose(g, op, a, b):
    """Returns 1 if all elements differ by at most atol + rtol |b|."""
    near = g.LessOrEqual(g.Abs(a - b), op.atol + op.rtol * g.Abs(b))
    near = g.Or(near, g.Equal(a, b))
    if op.equal_nan:
        near = g.Or(near, g.And(g.IsNaN(a), g.IsNaN(b)))
    flags = g.cast(near, np.float32)
    return g.cast(g.reshape(g.reduce("Min", flags, range(flags.rank)), g.specs[0][0]), g.specs[0][1])
