"""Elementwise operators on one array: a table of names, expressions, derivatives and docstrings."""

import math

import numpy as np

from ...common.dtypes import CODES
from ..docstrings import example
from ..kinds import Elementwise
from ..numeric import cast, in_floats
from ..registry import define, register

__all__ = ["Unary"]


class Unary(Elementwise):
    """A row of the table: `forward(x)` and `derivative(F, g, x, y)`, where y = forward(x) and g is the head gradient.
    """

    booleans = False            # True if the operator is defined for booleans
    is_view = False             # the result is a copy

    def infer_dtype(self, data):
        if not self.booleans:
            self.require_numbers(data)
        return super().infer_dtype(data)

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, out_grads[0], inputs[0], outputs[0])


def unary(name, compute, derivative, doc, numbers, aliases=(), keeps=("inputs",), integers=False, is_view=False,
          output_names=()):
    """Registers `name`.

    derivative: None means the gradient is zero everywhere (rounding, sign). numbers: an example, "[data] -> [out]".
    integers: `compute` keeps an integer type; otherwise integers are computed in float64 and truncated.
    """
    derivative = derivative or (lambda F, g, x, y: F.zeros_like(g))
    data, out = numbers.split(" -> ")
    doc += "\n\ndata (any shape), x is each of its elements | out like data"
    doc += "" if integers else "; integers are truncated"
    doc += example(f"nd.{name.replace('_contrib_', 'contrib.')}(nd.array({data}))", out)
    define(name, ["data"], Unary, doc, aliases, forward=compute if integers else in_floats(compute), compute=compute,
           derivative=derivative, keeps=tuple(keeps), booleans=integers and name not in ("negative", "sign", "square"),
           is_view=is_view, output_names=output_names)


def _rounding(compute):
    def forward(x):
        return compute(x) if x.dtype.kind == "f" else x.copy()
    if isinstance(compute, np.ufunc):
        forward.ufunc = compute, "f"
    return forward


# The distance from the next integer shows a half, or less; x + 0.5 is wrong where x has no digit left for a half.
def round_half_away(x):
    """Return the nearest integers as floats, with halves rounded away from zero."""
    size = np.abs(x)
    whole = np.floor(size)
    return np.copysign(whole + (size - whole >= 0.5), x)


def round_half_down(x):
    """Return the nearest integers as floats, with halves rounded down."""
    above = np.ceil(x)
    return np.copysign(above - (above - x >= 0.5), x)


Y = ("outputs",)        # the derivative uses only the result, so the tape drops the input.
NONE = ()               # The derivative uses neither input nor output.

# -- signs and rounding ---------------------------------------------------------------------------------------------

unary("identity", np.copy, lambda F, g, x, y: g,
      "a copy", "[1, 2] -> [1., 2.]", aliases=["_copy"], keeps=NONE, integers=True, is_view=True)
unary("negative", np.negative, lambda F, g, x, y: -g,
      "-x", "[1, -2] -> [-1.,  2.]", aliases=["_np_negative"], keeps=NONE, integers=True)
unary("abs", np.abs, lambda F, g, x, y: g * F.sign(x), "|x|", "[-1, 0, 2] -> [1., 0., 2.]", integers=True)
unary("sign", lambda x: np.subtract(x > 0, x < 0, dtype=x.dtype), None,
      "-1, 0 or 1; 0 for NaN", "[-3, 0, 2] -> [-1.,  0.,  1.]", keeps=NONE, integers=True)
unary("rint", _rounding(round_half_down), None,
      "the nearest integer, the lower one at a tie", "[1.4, 1.5, 1.6] -> [1., 1., 2.]",
      keeps=NONE, integers=True)
unary("round", _rounding(round_half_away), None,
      "the nearest integer, away from 0 at a tie", "[1.4, 1.5, -1.5] -> [ 1.,  2., -2.]",
      keeps=NONE, integers=True)
unary("ceil", _rounding(np.ceil), None,
      "the smallest integer not below x", "[1.2, -1.2] -> [ 2., -1.]", keeps=NONE, integers=True)
unary("floor", _rounding(np.floor), None,
      "the largest integer not above x", "[1.2, -1.2] -> [ 1., -2.]", keeps=NONE, integers=True)
unary("trunc", _rounding(np.trunc), None,
      "the nearest integer towards 0", "[1.8, -1.8] -> [ 1., -1.]", keeps=NONE, integers=True)
unary("fix", _rounding(np.trunc), None,
      "the nearest integer towards 0", "[1.8, -1.8] -> [ 1., -1.]", keeps=NONE, integers=True)
unary("logical_not", lambda x: np.equal(x, 0).astype(x.dtype), None,
      "1 where x is 0, else 0", "[0, 1, 5] -> [1., 0., 0.]", keeps=NONE, integers=True)
unary("zeros_like", np.zeros_like, None,
      "zeros in the shape and dtype of x", "[1, 2] -> [0., 0.]", keeps=NONE, integers=True)
unary("ones_like", np.ones_like, None,
      "ones in the shape and dtype of x", "[3, 5] -> [1., 1.]", keeps=NONE, integers=True)

# -- tests of floats, with the results 1 and 0 in the dtype of x ----------------------------------------------------

for _name, _test, _found in [("isnan", np.isnan, "[0., 1., 0.]"), ("isinf", np.isinf, "[0., 0., 1.]"),
                             ("isfinite", np.isfinite, "[1., 0., 0.]")]:
    unary(f"_contrib_{_name}", lambda x, test=_test: test(x).astype(x.dtype), None,
          f"1 where numpy.{_name}(x), else 0", f"[1, np.nan, np.inf] -> {_found}", keeps=NONE, integers=True)

# -- powers and roots -----------------------------------------------------------------------------------------------

unary("reciprocal", np.reciprocal, lambda F, g, x, y: -g * y * y,
      "1 / x", "[1, 2, 4] -> [1.  , 0.5 , 0.25]", keeps=Y)
unary("square", np.square, lambda F, g, x, y: 2 * g * x, "x²", "[-1, 2, 3] -> [1., 4., 9.]", integers=True)
unary("sqrt", np.sqrt, lambda F, g, x, y: 0.5 * g / y, "√x", "[1, 4, 9] -> [1., 2., 3.]", keeps=Y)
unary("rsqrt", lambda x: np.reciprocal(np.sqrt(x)), lambda F, g, x, y: -0.5 * g * y * F.square(y),
      "1 / √x", "[1, 4, 16] -> [1.  , 0.5 , 0.25]", keeps=Y)
unary("cbrt", np.cbrt, lambda F, g, x, y: g / (3 * F.square(y)),
      "∛x", "[1, 8, -0.125] -> [ 1. ,  2. , -0.5]", keeps=Y)
unary("rcbrt", lambda x: np.reciprocal(np.cbrt(x)), lambda F, g, x, y: -g * y / (3 * x),
      "1 / ∛x", "[1, 8, 64] -> [1.  , 0.5 , 0.25]", keeps=("inputs", "outputs"))

# -- exponential and logarithm --------------------------------------------------------------------------------------

unary("exp", np.exp, lambda F, g, x, y: g * y, "eˣ", "[0, 1] -> [1.  , 2.72]", keeps=Y)
unary("expm1", np.expm1, lambda F, g, x, y: g * F.exp(x), "eˣ - 1, accurate near 0", "[0, 1] -> [0.  , 1.72]")
unary("log", np.log, lambda F, g, x, y: g / x, "natural logarithm", "[1, 10] -> [0. , 2.3]")
unary("log2", np.log2, lambda F, g, x, y: g / x * (1 / math.log(2)),
      "logarithm to base 2", "[1, 8, 10] -> [0.  , 3.  , 3.32]")
unary("log10", np.log10, lambda F, g, x, y: g / x * (1 / math.log(10)),
      "logarithm to base 10", "[1, 20, 1000] -> [0. , 1.3, 3. ]")
unary("log1p", np.log1p, lambda F, g, x, y: g / (1 + x), "log(1 + x), accurate near 0", "[0, 1] -> [0.  , 0.69]")

# -- trigonometric and hyperbolic -----------------------------------------------------------------------------------

unary("sin", np.sin, lambda F, g, x, y: g * F.cos(x), "sine, x in radians", "[0, np.pi / 6] -> [0. , 0.5]")
unary("cos", np.cos, lambda F, g, x, y: -g * F.sin(x), "cosine, x in radians", "[0, np.pi / 3] -> [1. , 0.5]")
unary("tan", np.tan, lambda F, g, x, y: g * (1 + F.square(y)),
      "tangent, x in radians", "[0, 1] -> [0.  , 1.56]", keeps=Y)
unary("arcsin", np.arcsin, lambda F, g, x, y: g * F.rsqrt((1 - x) * (1 + x)),
      "inverse sine, in radians", "[0, 1] -> [0.  , 1.57]")
unary("arccos", np.arccos, lambda F, g, x, y: -g * F.rsqrt((1 - x) * (1 + x)),
      "inverse cosine, in radians", "[1, 0] -> [0.  , 1.57]")
unary("arctan", np.arctan, lambda F, g, x, y: g / (1 + F.square(x)),
      "inverse tangent, in radians", "[0, 1] -> [0.  , 0.79]")
unary("sinh", np.sinh, lambda F, g, x, y: g * F.cosh(x), "hyperbolic sine", "[0, 1] -> [0.  , 1.18]")
unary("cosh", np.cosh, lambda F, g, x, y: g * F.sinh(x), "hyperbolic cosine", "[0, 1] -> [1.  , 1.54]")
unary("tanh", np.tanh, lambda F, g, x, y: g * (1 - F.square(y)),
      "hyperbolic tangent", "[0, 1] -> [0.  , 0.76]", keeps=Y)
unary("arcsinh", np.arcsinh, lambda F, g, x, y: g / F._hypot_scalar(x, scalar=1.0),
      "inverse hyperbolic sine", "[0, 1] -> [0.  , 0.88]")
unary("arccosh", np.arccosh, lambda F, g, x, y: g * F.rsqrt(x - 1) * F.rsqrt(x + 1),
      "inverse hyperbolic cosine", "[1, 2] -> [0.  , 1.32]")
unary("arctanh", np.arctanh, lambda F, g, x, y: g / ((1 - x) * (1 + x)),
      "inverse hyperbolic tangent", "[0, 0.5] -> [0.  , 0.55]")
unary("degrees", np.degrees, lambda F, g, x, y: g * (180 / math.pi),
      "radians to degrees", "[1, np.pi] -> [ 57.3, 180. ]", keeps=NONE)
unary("radians", np.radians, lambda F, g, x, y: g * (math.pi / 180),
      "degrees to radians", "[0, 180] -> [0.  , 3.14]", keeps=NONE)

# -- activations ----------------------------------------------------------------------------------------------------


ZEROS = {dtype: np.zeros((), dtype) for dtype in CODES}     # a 0-d array is cheaper than a converted number


def _sigmoid(x):
    if x.dtype == np.float16:               # e⁻ˣ overflows although the result does not
        return _sigmoid(x.astype(np.float32)).astype(x.dtype)
    return sigmoid_into(x, np.empty_like(x))


def sigmoid_into(x, out):
    np.negative(x, out)
    np.exp(out, out)                        # may overflow to ∞; 1 / ∞ is correct
    np.add(out, 1, out)
    return np.reciprocal(out, out)


def softsign_gradient(F, g, x):
    """Returns g / (1 + |x|)², without computing the square, which overflows float16 at 256."""
    size = 1 + F.abs(x)
    return g / size / size


unary("relu", lambda x: np.maximum(x, ZEROS[x.dtype]), lambda F, g, x, y: F._relu_grad(g, y),
      "max(x, 0); NaN stays NaN", "[-1, 0, 2] -> [0., 0., 2.]", keeps=Y, integers=True)
unary("sigmoid", _sigmoid, lambda F, g, x, y: g * y * (1 - y),
      "1 / (1 + e⁻ˣ)", "[-2, 0, 2] -> [0.12, 0.5 , 0.88]", keeps=Y)
unary("softsign", lambda x: x / (1 + np.abs(x)), lambda F, g, x, y: softsign_gradient(F, g, x),
      "x / (1 + |x|)", "[-1, 0, 3] -> [-0.5 ,  0.  ,  0.75]")


@register("grad", "y")
class _relu_grad(Elementwise):
    """grad where y > 0, else 0."""

    keeps = ("inputs",)
    in_place = ("y",)           # grad is read after the first write

    def forward(self, grad, y):
        return np.multiply(grad, y > 0)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._relu_grad(out_grads[0], inputs[1]), None]


@register("data")
class hard_sigmoid(Elementwise):
    """max(0, min(1, alpha · data + beta)), elementwise. The gradient is 0 at both bounds.

    alpha: the slope.
    beta: the value for data = 0.

    >>> nd.hard_sigmoid(nd.array([-5, 0, 1, 5])).asnumpy().round(2)
    array([0. , 0.5, 0.7, 1. ], dtype=float32)
    """

    alpha: float = 0.2
    beta: float = 0.5
    keeps = ("outputs",)

    def forward(self, data):
        return in_floats(lambda x: np.clip(x * x.dtype.type(self.alpha) + x.dtype.type(self.beta), 0, 1))(data)

    def gradient(self, F, out_grads, inputs, outputs):
        y = outputs[0]
        return self.alpha * F.where((y > 0) * (y < 1), out_grads[0], F.zeros_like(y))


@register("data")
class smooth_l1(Elementwise):
    """(s · x)² / 2 where |x| < 1 / s², else |x| - 1 / (2 s²), for each element x of data.

    scalar: s. The larger s is, the narrower the parabola.

    Source: Girshick 2015, Fast R-CNN, arXiv:1504.08083; here the width of the parabola is a parameter.

    >>> nd.smooth_l1(nd.array([-2, 0, 1, 3])).asnumpy()
    array([1.5, 0. , 0.5, 2.5], dtype=float32)
    """

    scalar: float = 1.0
    keeps = ("inputs",)

    def forward(self, data):
        return in_floats(self._forward)(data)

    def _forward(self, x):
        s2 = x.dtype.type(self.scalar ** 2)
        size = np.abs(x)
        return np.where(size < 1 / s2, s2 * x * x / 2, size - x.dtype.type(0.5) / s2)

    def gradient(self, F, out_grads, inputs, outputs):
        s2 = self.scalar ** 2
        # s²·x inside the parabola, ±1 outside: s²·x clipped to ±1
        return out_grads[0] * F.clip(s2 * inputs[0], a_min=-1.0, a_max=1.0)


@register("data")
class clip(Elementwise):
    """data limited to [a_min, a_max]; NaN stays NaN. The gradient passes only where data is within the limits,
    including the bounds.

    a_min, a_max: the lowest and the highest value of the result.

    >>> nd.clip(nd.array([-5, 0, 5]), a_min=-1, a_max=2).asnumpy()
    array([-1.,  0.,  2.], dtype=float32)
    """

    a_min: float
    a_max: float
    keeps = ("inputs",)

    def forward(self, data):
        if data.dtype.kind == "f":
            return np.clip(data, data.dtype.type(self.a_min), data.dtype.type(self.a_max))
        return self._clipped_whole(data)

    def _clipped_whole(self, data):
        """Clips integers without converting to float64, which would round integers above 2⁵³. The bounds are truncated,
        like the result.
        """
        low, high = self.a_min, self.a_max
        if not low <= high:             # also true if a bound is NaN
            return in_floats(lambda x: np.clip(x, low, high))(data)
        out = data.copy()
        if low > -math.inf:
            out[data < math.ceil(low)] = cast(np.array(low), data.dtype)
        if high < math.inf:
            out[data > math.floor(high)] = cast(np.array(high), data.dtype)
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return F._clip_grad(out_grads[0], inputs[0], a_min=self.a_min, a_max=self.a_max)


@register("grad", "data")
class _clip_grad(Elementwise):
    """grad where data is within [a_min, a_max], else 0."""

    a_min: float
    a_max: float
    keeps = ("inputs",)

    def forward(self, grad, data):
        return np.where((data < self.a_min) | (data > self.a_max), 0, grad)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._clip_grad(out_grads[0], inputs[1], a_min=self.a_min, a_max=self.a_max), None]
