"""How far the results of operators are from the right ones: relative errors, by operator, type and backend."""

import numpy as np

from minigluon import autograd, nd
from minigluon.backend import use_backend

from .accuracy_rows import WIDE, numbers

__all__ = ["FLOATS", "function_errors", "limit_of", "relative_error"]

FLOATS = ("float16", "float32", "float64")

# Of the value and of the slope, in units of the type's rounding, 2^-10, 2^-23 or 2^-52. What is not listed has (8, 8).
# LOST: an error that is small only beside the function's largest number.
LOST = 1e300
LIMITS = {
    # from the output y, as y (1 - y) and 1 - y²: beside the largest slope they err by less than one unit
    "sigmoid": (8, LOST), "tanh": (8, LOST),
    # 1 / (1 + x²) is 0 where it is below the type's normal numbers
    "arctan": (8, LOST),
    "erf": (8, 512),                    # x² is rounded before the power e^(-x²)
    "gammaln": (64, 8),
    # the tails: float64 by Cody's fraction up to 1e-12; the plugin's float32 one polynomial, which leaves log Φ at -7
    "LeakyReLU gelu": (8192, 8192),
}
SINGLE_TAILS = {("LeakyReLU gelu", "accel", "float32"): (LOST, LOST)}


def limit_of(name, backend, dtype):
    """The largest errors of a row's value and slope that are no fault, relative ones."""
    eps = float(np.finfo(dtype).eps)
    value, slope = SINGLE_TAILS.get((name, backend, dtype)) or LIMITS.get(name, (8, 8))
    return value * eps, slope * eps


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


def function_errors(row, dtype, backend):
    """Errors of a function of one number and of its slope: [(error, input), (error, input)]."""
    x = numbers(dtype)
    x = x[row.takes(x)]
    with np.errstate(all="ignore"):
        value, slope = computed(row, x, dtype, backend)
        wide = x.astype(WIDE)
        errors = []
        for found, answer in ((value, row.value), (slope, row.slope)):
            if answer is None:
                errors.append((0.0, 0.0))
                continue
            right = np.where(np.isinf(value), np.nan, answer(wide)) if answer is row.slope else answer(wide)
            error, place = relative_error(found, right, dtype)
            errors.append((error, float(x[place])))
    return errors


def computed(row, x, dtype, backend):
    """What a backend computes: the value and the slope at each x."""
    with use_backend(backend):
        data = nd.array(x, dtype=dtype)
        data.attach_grad()
        with autograd.record():
            y = row.call(nd, data)
        y.backward()
        return y.asnumpy(), data.grad.asnumpy()
