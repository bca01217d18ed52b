"""Elementwise functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..... import symbol as sym
from ..table import operator

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call

ROWS = {
    "Abs": sym.abs, "Acos": sym.arccos, "Acosh": sym.arccosh, "Asin": sym.arcsin, "Asinh": sym.arcsinh,
    "Atan": sym.arctan, "Atanh": sym.arctanh, "Ceil": sym.ceil, "Cos": sym.cos, "Cosh": sym.cosh, "Erf": sym.erf,
    "Exp": sym.exp, "Floor": sym.floor, "Identity": sym.identity, "Log": sym.log, "Neg": sym.negative,
    "Reciprocal": sym.reciprocal, "Relu": sym.relu, "Sigmoid": sym.sigmoid, "Sign": sym.sign,
    "Sin": sym.sin, "Sinh": sym.sinh, "Softsign": sym.softsign, "Sqrt": sym.sqrt, "Tan": sym.tan, "Tanh": sym.tanh,
    "Not": sym.logical_not,
}


def _row(function):
    return lambda call: function(call.data())


for _name, _function in ROWS.items():
    operator(_name, elementwise=True)(_row(_function))


@operator("Round", elementwise=True)
def round_(call: Call) -> Any:
    """Rounds halves to even, unlike the operator `rint`."""
    return to_even(call.data())


def to_even(x: Any) -> Any:
    """Returns x rounded, with halves rounded to even."""
    low = sym.floor(x)
    fraction = x - low
    return low + (fraction > 0.5) + (fraction == 0.5) * (low - 2 * sym.floor(low / 2))


@operator("Softplus", elementwise=True)
def softplus(call: Call) -> Symbol:
    return sym.Activation(call.data(), act_type="softrelu")


@operator("IsNaN", elementwise=True)
def is_nan(call: Call) -> Symbol:
    return sym.cast(sym.contrib.isnan(call.data()), dtype="bool")


@operator("IsInf", elementwise=True)
def is_inf(call: Call) -> Symbol:
    x, result = call.data(), None
    infinite = sym.contrib.isinf(x)
    for name, sided in (("detect_positive", x > 0), ("detect_negative", x < 0)):
        if call.attribute(name, 1):
            part = sym.cast(infinite, dtype="float32") * sym.cast(sided, dtype="float32")
            result = part if result is None else result + part
    return sym.cast(result if result is not None else sym.zeros_like(x), dtype="bool")


@operator("LeakyRelu", elementwise=True)
def leaky_relu(call: Call) -> Symbol:
    return sym.LeakyReLU(call.data(), act_type="leaky", slope=call.attribute("alpha", 0.01))


@operator("Elu", elementwise=True)
def elu(call: Call) -> Symbol:
    return sym.LeakyReLU(call.data(), act_type="elu", slope=call.attribute("alpha", 1.0))


@operator("Celu", elementwise=True)
def celu(call: Call) -> Symbol:
    x, alpha = call.data(), call.attribute("alpha", 1.0)
    return sym.relu(x) - sym.relu(-alpha * sym.expm1(x / alpha))


@operator("Selu", elementwise=True)
def selu(call: Call) -> Any:
    x = call.data()
    alpha, gamma = call.attribute("alpha", 1.6732632423543772), call.attribute("gamma", 1.0507009873554805)
    if (round(alpha, 5), round(gamma, 5)) == (1.67326, 1.05070):
        return sym.LeakyReLU(x, act_type="selu")
    return gamma * sym.LeakyReLU(x, act_type="elu", slope=alpha)


@operator("PRelu", elementwise=True)
def prelu(call: Call) -> Symbol:
    x, slope = call.data(0), call.data(1)
    if call.opset < 7 and call.shape(1) != (1,):        # one slope per channel
        slope = sym.reshape(slope, shape=(-1,) + (1,) * (call.rank() - 2))
    return sym.relu(x) - sym.broadcast_mul(sym.relu(-x), slope)


@operator("ThresholdedRelu", elementwise=True)
def thresholded_relu(call: Call) -> Any:
    x = call.data()
    return x * (x > call.attribute("alpha", 1.0))


@operator("HardSigmoid", elementwise=True)
def hard_sigmoid(call: Call) -> Symbol:
    return sym.hard_sigmoid(call.data(), alpha=call.attribute("alpha", 0.2), beta=call.attribute("beta", 0.5))


@operator("HardSwish", elementwise=True)
def hard_swish(call: Call) -> Any:
    x = call.data()
    return x * sym.hard_sigmoid(x, alpha=1 / 6, beta=0.5)


@operator("Swish", elementwise=True)
def swish(call: Call) -> Any:
    x, alpha = call.data(), call.attribute("alpha", 1.0)
    return x * sym.sigmoid(x if alpha == 1 else x * alpha)


@operator("Mish", elementwise=True)
def mish(call: Call) -> Any:
    x = call.data()
    return x * sym.tanh(sym.Activation(x, act_type="softrelu"))


@operator("Gelu", elementwise=True)
def gelu(call: Call) -> Any:
    x = call.data()
    if call.choice("approximate", "none", "tanh") == "none":
        return sym.LeakyReLU(x, act_type="gelu")
    return 0.5 * x * (1 + sym.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


@operator("Shrink", elementwise=True)
def shrink(call: Call) -> Any:
    x, bias, limit = call.data(), call.attribute("bias", 0.0), call.attribute("lambd", 0.5)
    return (x < -limit) * (x + bias) + (x > limit) * (x - bias)


@operator("Clip", elementwise=True)
def clip(call: Call) -> Any:
    x = call.data()
    if call.opset < 11:
        return sym.clip(x, call.attribute("min", -3.4028235e38), call.attribute("max", 3.4028235e38))
    bounds = [call.number(i) if call.has(i) else None for i in (1, 2)]
    if all(number is not None or not call.has(i) for i, number in zip((1, 2), bounds, strict=True)):
        kind = call.dtype()
        limits = np.iinfo(kind) if kind.kind in "iu" else None
        low, high = (default if bound is None else bound for bound, default in zip(
            bounds, (limits.min, limits.max) if limits else (-math.inf, math.inf), strict=True))
        if low > high:
            return sym.ones_like(x) * high      # the upper bound takes precedence
        if bounds == [None, None]:
            return sym.identity(x)
        if bounds[1] is None:
            return sym.maximum(x, low)
        return sym.minimum(x, high) if bounds[0] is None else sym.clip(x, low, high)
    if call.has(1):
        x = sym.broadcast_maximum(x, call.data(1))
    return sym.broadcast_minimum(x, call.data(2)) if call.has(2) else x
