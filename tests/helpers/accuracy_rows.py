"""Functions of one number, with their derivatives, in NumPy's longest float: the answers of `accuracy.py`.

Each row is (name, call(F, x), value(x), slope(x), inputs). An input that the function does not take is left out.
"""

import importlib
import math
from typing import NamedTuple

import numpy as np

__all__ = ["ROWS", "WIDE", "Row", "errors_of", "numbers"]

WIDE = np.longdouble
LOG2, LOG10 = np.log(WIDE(2)), np.log(WIDE(10))
PI = 4 * np.arctan(WIDE(1))
SELU = WIDE("1.0507009873554804934193349852946"), WIDE("1.6732632423543772848170429916717")


class Row(NamedTuple):
    """A function of one number: how an operator computes it, its value, its slope, and inputs that it takes."""

    name: str
    call: object
    value: object
    slope: object
    takes: object


def numbers(dtype, seed=0):
    """Numbers of a type: of every size that it has, near 0, ±1 and the whole numbers, and from -30 to 30."""
    rng, info = np.random.default_rng(seed), np.finfo(dtype)
    sizes = np.ldexp(1.0, np.arange(info.minexp + 1, info.maxexp)) * rng.uniform(1, 1.9, info.maxexp - info.minexp - 1)
    near = np.ldexp(1.0, -np.arange(1, info.nmant + 2))
    plain = rng.uniform(-30, 30, 400)
    every = np.concatenate([sizes, -sizes, 1 - near, 1 + near, near - 1, -1 - near, plain, np.arange(-25, 26),
                            np.arange(-25, 26) + 0.5, [np.pi, np.pi / 2, np.e]])
    with np.errstate(over="ignore"):
        every = np.unique(every.astype(dtype))
    return every[np.isfinite(every)]


def anywhere(x):
    return np.ones(x.shape, bool)


def positive(x):
    return x > 0


def inside(x):
    return np.abs(x) < 1


def not_zero(x):
    return x != 0


def between(low, high):
    return lambda x: (x.astype(WIDE) > low) & (x.astype(WIDE) < high)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(x, WIDE(0))


def _erf_series(x):
    """erf by its power series: in the longest float right to 1e-17 up to |x| = 3, where terms reach 300."""
    term = total = x
    for k in range(1, 80):
        term = -term * x * x / k
        total = total + term / (2 * k + 1)
    return 2 / np.sqrt(PI) * total


def _erfc_fraction(x):
    """erfc of x >= 2 by its continued fraction, from the tail."""
    below = np.zeros_like(x)
    for k in range(200, 0, -1):
        below = (WIDE(k) / 2) / (x + below)
    return np.exp(-x * x) / np.sqrt(PI) / (x + below)


def erf(x):
    size = np.abs(x)
    near = _erf_series(np.minimum(size, WIDE(2.0)))
    return np.copysign(np.where(size < 2, near, 1 - _erfc_fraction(np.maximum(size, WIDE(2.0)))), x)


def normal(x):
    """The share of the normal distribution below x."""
    size = np.abs(x) / np.sqrt(WIDE(2))
    tail = np.where(size < 2, (1 - _erf_series(np.minimum(size, WIDE(2.0)))) / 2,
                    _erfc_fraction(np.maximum(size, WIDE(2.0))) / 2)
    return np.where(x > 0, 1 - tail, tail)


def density(x):
    return np.exp(-x * x / 2) / np.sqrt(2 * PI)


def unary(name):
    return lambda F, x: getattr(F, name)(x)


def activation(kind):
    return lambda F, x: F.Activation(x, act_type=kind)


def leaky(kind, **how):
    return lambda F, x: F.LeakyReLU(x, act_type=kind, **how)


def logit_loss(label):
    """SigmoidBCELoss for each element, of the library that F belongs to."""
    def call(F, x):
        library = importlib.import_module(F.__name__.split(".")[0])
        loss = library.gluon.loss.SigmoidBinaryCrossEntropyLoss()
        return loss(x, F.ones_like(x) * label)
    return call


one, two = WIDE(1), WIDE(2)
ROWS = [Row(*row) for row in [
    ("negative", unary("negative"), lambda x: -x, lambda x: -np.ones_like(x), anywhere),
    ("abs", unary("abs"), np.abs, np.sign, anywhere),
    ("reciprocal", unary("reciprocal"), lambda x: 1 / x, lambda x: -1 / x / x, not_zero),
    ("square", unary("square"), np.square, lambda x: 2 * x, anywhere),
    ("sqrt", unary("sqrt"), np.sqrt, lambda x: 0.5 / np.sqrt(x), positive),
    ("rsqrt", unary("rsqrt"), lambda x: 1 / np.sqrt(x), lambda x: -0.5 / np.sqrt(x) / x, positive),
    ("cbrt", unary("cbrt"), np.cbrt, lambda x: 1 / (3 * np.cbrt(x) ** 2), not_zero),
    ("rcbrt", unary("rcbrt"), lambda x: 1 / np.cbrt(x), lambda x: -1 / (3 * np.cbrt(x) * x), not_zero),
    ("exp", unary("exp"), np.exp, np.exp, anywhere),
    ("expm1", unary("expm1"), np.expm1, np.exp, anywhere),
    ("log", unary("log"), np.log, lambda x: 1 / x, positive),
    ("log2", unary("log2"), lambda x: np.log(x) / LOG2, lambda x: 1 / (LOG2 * x), positive),
    ("log10", unary("log10"), lambda x: np.log(x) / LOG10, lambda x: 1 / (LOG10 * x), positive),
    ("log1p", unary("log1p"), np.log1p, lambda x: 1 / (1 + x), between(-1, np.inf)),
    ("sin", unary("sin"), np.sin, np.cos, between(-30, 30)),
    ("cos", unary("cos"), np.cos, lambda x: -np.sin(x), between(-30, 30)),
    ("tan", unary("tan"), np.tan, lambda x: 1 + np.tan(x) ** 2, between(-30, 30)),
    ("arcsin", unary("arcsin"), np.arcsin, lambda x: 1 / np.sqrt((1 - x) * (1 + x)), inside),
    ("arccos", unary("arccos"), np.arccos, lambda x: -1 / np.sqrt((1 - x) * (1 + x)), inside),
    ("arctan", unary("arctan"), np.arctan, lambda x: 1 / (1 + x * x), anywhere),
    ("sinh", unary("sinh"), np.sinh, np.cosh, anywhere),
    ("cosh", unary("cosh"), np.cosh, np.sinh, anywhere),
    ("tanh", unary("tanh"), np.tanh, lambda x: 1 / np.cosh(x) ** 2, anywhere),
    ("arcsinh", unary("arcsinh"), np.arcsinh, lambda x: 1 / np.hypot(x, one), anywhere),
    ("arccosh", unary("arccosh"), np.arccosh, lambda x: 1 / (np.sqrt(x - 1) * np.sqrt(x + 1)), between(1, np.inf)),
    ("arctanh", unary("arctanh"), np.arctanh, lambda x: 1 / ((1 - x) * (1 + x)), inside),
    ("degrees", unary("degrees"), lambda x: x * (180 / PI), lambda x: np.full_like(x, 180 / PI), anywhere),
    ("radians", unary("radians"), lambda x: x * (PI / 180), lambda x: np.full_like(x, PI / 180), anywhere),
    ("relu", unary("relu"), lambda x: np.maximum(x, 0), lambda x: (x > 0) * one, not_zero),
    ("sigmoid", unary("sigmoid"), sigmoid, lambda x: sigmoid(x) * sigmoid(-x), anywhere),
    ("softsign", unary("softsign"), lambda x: x / (1 + np.abs(x)), lambda x: 1 / (1 + np.abs(x)) ** 2, anywhere),
    ("erf", unary("erf"), erf, lambda x: 2 / np.sqrt(PI) * np.exp(-x * x), anywhere),
    ("gammaln", unary("gammaln"), lambda x: np.array([math.lgamma(v) for v in x], WIDE), None, between(3, 1e6)),
    ("Activation softrelu", activation("softrelu"), softplus, sigmoid, anywhere),
    ("Activation softsign", activation("softsign"), lambda x: x / (1 + np.abs(x)),
     lambda x: 1 / (1 + np.abs(x)) ** 2, anywhere),
    ("LeakyReLU leaky", leaky("leaky", slope=0.25), lambda x: np.where(x > 0, x, x / 4),
     lambda x: np.where(x > 0, one, one / 4), anywhere),
    ("LeakyReLU elu", leaky("elu", slope=1.5), lambda x: np.where(x > 0, x, 1.5 * np.expm1(np.minimum(x, 0))),
     lambda x: np.where(x > 0, one, 1.5 * np.exp(np.minimum(x, 0))), anywhere),
    ("LeakyReLU selu", leaky("selu"), lambda x: SELU[0] * np.where(x > 0, x, SELU[1] * np.expm1(np.minimum(x, 0))),
     lambda x: SELU[0] * np.where(x > 0, one, SELU[1] * np.exp(np.minimum(x, 0))), anywhere),
    ("LeakyReLU gelu", leaky("gelu"), lambda x: x * normal(x), lambda x: normal(x) + x * density(x), anywhere),
    ("smooth_l1", lambda F, x: F.smooth_l1(x, scalar=2.0), lambda x: np.where(np.abs(x) < 0.25, 2 * x * x, np.abs(x)
     - 0.125), lambda x: np.clip(4 * x, -1, 1), anywhere),
    ("x / 3", lambda F, x: x / 3.0, lambda x: x / 3, lambda x: np.full_like(x, one / 3), anywhere),
    ("3 / x", lambda F, x: 3.0 / x, lambda x: 3 / x, lambda x: -3 / x / x, not_zero),
    ("x ** 3", lambda F, x: x ** 3.0, lambda x: x ** 3, lambda x: 3 * x * x, anywhere),
    ("x ** -1.5", lambda F, x: x ** -1.5, lambda x: x ** WIDE(-1.5), lambda x: -1.5 * x ** WIDE(-2.5), positive),
    ("2 ** x", lambda F, x: 2.0 ** x, np.exp2, lambda x: LOG2 * np.exp2(x), anywhere),
    ("hypot 3", lambda F, x: F._hypot_scalar(x, scalar=3.0), lambda x: np.hypot(x, WIDE(3)),
     lambda x: x / np.hypot(x, WIDE(3)), anywhere),
    ("1 / x", lambda F, x: F.elemwise_div(F.ones_like(x), x), lambda x: 1 / x, lambda x: -1 / x / x, not_zero),
    ("hypot(x, 1)", lambda F, x: F.broadcast_hypot(x, F.ones_like(x)), lambda x: np.hypot(x, one),
     lambda x: x / np.hypot(x, one), anywhere),
    ("logit loss, label 1", logit_loss(1.0), lambda x: softplus(-x), lambda x: -sigmoid(-x), anywhere),
    ("logit loss, label 0", logit_loss(0.0), softplus, sigmoid, anywhere),
]]


def relative_error(found, right, dtype):
    """(the largest |found - right| / |right|, where).

    What is smaller than the type's normal numbers counts as one of these; in float32 and float64, what is smaller
    than one of these divided by the root of the type's rounding (3e-35, 1e-300). Where the right number is beyond the
    type, so must be what is found.
    """
    info = np.finfo(dtype)
    found, right = np.asarray(found).astype(WIDE), np.asarray(right, WIDE)
    with np.errstate(all="ignore"):
        largest = WIDE(info.max)
        least = WIDE(info.tiny) / (1 if info.bits == 16 else np.sqrt(WIDE(info.eps)))
        error = np.abs(found - right) / np.maximum(np.abs(right), least)
        error[(np.abs(right) > largest) & np.isfinite(found)] = np.inf
        rounded_up = np.isinf(found) & (np.abs(right) > largest * (1 - 64 * WIDE(info.eps)))
        error[rounded_up & (np.sign(found) == np.sign(right))] = 0
    error[np.isnan(right)] = 0
    error[np.isnan(error)] = np.inf
    place = int(error.argmax()) if error.size else 0
    return (float(error[place]) if error.size else 0.0), place


def errors_of(row, x, value, slope, dtype):
    """Errors of what was found at x, and where: [(error of the value, input), (error of the slope, input)]."""
    errors = []
    with np.errstate(all="ignore"):
        wide = x.astype(WIDE)
        for found, answer in ((value, row.value), (slope, row.slope)):
            if answer is None:
                errors.append((0.0, 0.0))
                continue
            right = np.where(np.isinf(value), np.nan, answer(wide)) if answer is row.slope else answer(wide)
            error, place = relative_error(found, right, dtype)
            errors.append((error, float(x[place])))
    return errors
