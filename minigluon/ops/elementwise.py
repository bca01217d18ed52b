"""Operators on one array, element by element: a table of name, expression, derivative, doc."""

import numpy as np

from .op import Op
from .registry import define

__all__ = ["Unary"]


class Unary(Op):
    """One row of the table: `forward(x)` and `derivative(F, g, x, y)`, with y = forward(x) and g the head gradient."""

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, out_grads[0], inputs[0], outputs[0])


def unary(name, compute, derivative, doc, aliases=(), keeps=("inputs",)):
    """Enter `name` in the table. `derivative` None means zero gradient everywhere (rounding, sign)."""
    derivative = derivative or (lambda F, g, x, y: F.zeros_like(g))
    define(name, ["data"], Unary, doc, aliases, forward=compute, derivative=derivative, keeps=tuple(keeps))


Y = ("outputs",)        # the derivative is written with the result, so the tape drops the input
NONE = ()               # the derivative needs neither

unary("negative", np.negative, lambda F, g, x, y: -g, "-x", aliases=["_np_negative"], keeps=NONE)
unary("abs", np.abs, lambda F, g, x, y: g * F.sign(x), "|x|")
unary("sign", np.sign, None, "-1, 0 or 1", keeps=NONE)
unary("reciprocal", lambda x: np.reciprocal(x), lambda F, g, x, y: -g * F.square(y), "1 / x", keeps=Y)
unary("square", np.square, lambda F, g, x, y: 2 * g * x, "x²")
unary("sqrt", np.sqrt, lambda F, g, x, y: 0.5 * g / y, "√x", keeps=Y)
unary("rsqrt", lambda x: np.reciprocal(np.sqrt(x)), lambda F, g, x, y: -0.5 * g * y * F.square(y), "1 / √x", keeps=Y)
unary("cbrt", np.cbrt, lambda F, g, x, y: g / (3 * F.square(y)), "∛x", keeps=Y)
unary("rcbrt", lambda x: np.reciprocal(np.cbrt(x)), lambda F, g, x, y: -g * y / (3 * x), "1 / ∛x",
      keeps=("inputs", "outputs"))
unary("exp", np.exp, lambda F, g, x, y: g * y, "eˣ", keeps=Y)
unary("expm1", np.expm1, lambda F, g, x, y: g * (y + 1), "eˣ - 1, accurate near 0", keeps=Y)
unary("log", np.log, lambda F, g, x, y: g / x, "natural logarithm")
unary("log2", np.log2, lambda F, g, x, y: g / (float(np.log(2)) * x), "logarithm to base 2")
unary("log10", np.log10, lambda F, g, x, y: g / (float(np.log(10)) * x), "logarithm to base 10")
unary("log1p", np.log1p, lambda F, g, x, y: g / (1 + x), "log(1 + x), accurate near 0")
unary("sin", np.sin, lambda F, g, x, y: g * F.cos(x), "sine, x in radians")
unary("cos", np.cos, lambda F, g, x, y: -g * F.sin(x), "cosine, x in radians")
unary("tanh", np.tanh, lambda F, g, x, y: g * (1 - F.square(y)), "hyperbolic tangent", keeps=Y)
unary("relu", lambda x: np.maximum(x, x.dtype.type(0)), lambda F, g, x, y: g * (y > 0), "max(x, 0); NaN stays NaN",
      keeps=Y)


def _sigmoid(x):
    # exp of a negative number never overflows
    e = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + e), e / (1 + e)).astype(x.dtype, copy=False)


unary("sigmoid", _sigmoid, lambda F, g, x, y: g * y * (1 - y), "1 / (1 + e⁻ˣ)", keeps=Y)
unary("zeros_like", np.zeros_like, None, "zeros in the shape and dtype of x", keeps=NONE)
unary("ones_like", np.ones_like, None, "ones in the shape and dtype of x", keeps=NONE)
unary("identity", np.copy, lambda F, g, x, y: g, "a copy", aliases=["_copy"], keeps=NONE)
unary("BlockGrad", np.copy, None, "x; no gradient passes", aliases=["stop_gradient"], keeps=NONE)
