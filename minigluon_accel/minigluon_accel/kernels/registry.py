"""The table of operators that have kernels, and helpers shared by the kernel functions."""

import math

import numpy as np

from minigluon.backend.table import KernelTable

__all__ = ["find", "finished", "kernel_for", "parts", "prepared_operators", "size"]

_REALS = (np.dtype("float32"), np.dtype("float64"))

_kernels = KernelTable()
kernel_for = _kernels.kernel_for        # keyed by operator names, not aliases

GRAIN = 2 ** 14     # number of elements in a part that takes a few microseconds, which is worth waking another thread


def prepared_operators():
    """Returns {name: function} for all operators that have kernels."""
    return _kernels.functions()


def find(op, inputs, outputs, train, rng):
    """Returns the Call for an operator on arrays of these Specs, or a string that says why there is none."""
    if _kernels.function_for(type(op)) is None:
        return "no kernel"
    if any(not spec.dtype.isnative for spec in (*inputs, *outputs)):
        return "bytes in foreign order"
    return _kernels.find(op, inputs, outputs, train=train, rng=rng)


def size(spec):
    """Returns the number of elements."""
    return math.prod(spec.shape)


def parts(work, grain=GRAIN, most=64):
    """Returns the number of parts for this much work: one per whole grain, or 0 if there is no work."""
    return min(max(work // grain, 1), most) if work else 0


def finished(count, each):
    """Returns the time for this many parts: the mean for two and four threads, which may get unequal shares."""
    return each * (-(-count // 2) * 2 + -(-count // 4) * 4) / 2


def reals(*specs):
    """Returns None if all Specs have the same dtype, float32 or float64; otherwise, the reason for declining."""
    if specs[0].dtype not in _REALS:
        return f"dtype {specs[0].dtype}"
    if any(spec.dtype != specs[0].dtype for spec in specs):
        return "mixed dtypes"
    return None
