"""How far the results of operators are from the right ones: relative errors, by operator, type and backend."""

import numpy as np

from minigluon import autograd, nd
from minigluon.backend import use_backend

from .accuracy_rows import errors_of, numbers
from .op_heads import head_grad

__all__ = ["FLOATS", "SCALES", "function_errors", "limit_of", "row_errors"]

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


def function_errors(row, dtype, backend):
    """Errors of a function of one number and of its slope: [(error, input), (error, input)]."""
    x = numbers(dtype)
    x = x[row.takes(x)]
    with np.errstate(all="ignore"):
        return errors_of(row, x, *computed(row, x, dtype, backend), dtype)


def computed(row, x, dtype, backend):
    """What a backend computes: the value and the slope at each x."""
    with use_backend(backend):
        data = nd.array(x, dtype=dtype)
        data.attach_grad()
        with autograd.record():
            y = row.call(nd, data)
        y.backward()
        return y.asnumpy(), data.grad.asnumpy()


# -- operators on the rows of `op_cases` ------------------------------------------------------------------------------

# All inputs of which gradients are taken are multiplied with each of these: squares of the outer ones leave float32.
SCALES = (1.0, 2.0 ** 70, 2.0 ** -70)


def row_errors(case, dtype, backend, scale=1.0):
    """The largest error of a case's outputs and of its gradients, each beside the array's largest number.

    The right numbers are those of the reference in float64 for the same inputs. None where these have no right numbers
    in the type: beyond its range, or not finite.
    """
    narrow = [np.asarray(a * scale if i in case.grad else a).astype(dtype) if a.dtype.kind == "f" else a
              for i, a in enumerate(case.inputs("float64"))]
    right = row_results(case, [a.astype(np.float64) if a.dtype.kind == "f" else a for a in narrow], "numpy")
    found = row_results(case, narrow, backend)
    errors = []
    for y, e in zip(found, right, strict=True):
        if e.dtype.kind != "f" or not e.size:
            continue
        largest = np.abs(e).max()
        if not np.isfinite(e).all() or not np.finfo(dtype).tiny * 1e3 <= largest <= np.finfo(dtype).max / 1e3:
            errors.append(None)
            continue
        with np.errstate(all="ignore"):
            error = np.max(np.abs(y.astype(np.float64) - e)) / largest
        errors.append(float(error) if np.isfinite(error) else np.inf)
    known = [error for error in errors if error is not None]
    return max(known) if known else None


def row_results(case, arrays, backend):
    """The outputs of a case and the gradients of its inputs, for drawn head gradients."""
    with use_backend(backend), np.errstate(all="ignore"):
        arrays = [nd.array(a, dtype=a.dtype) for a in arrays]
        for i in case.grad:
            arrays[i].attach_grad()
        with autograd.record(train_mode=case.train):
            outputs = getattr(nd, case.op)(*arrays, **case.attrs)
        outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
        if case.grad:
            heads = [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)]
            autograd.backward(outputs, heads)
        return [y.asnumpy() for y in (*outputs, *[arrays[i].grad for i in case.grad])]
