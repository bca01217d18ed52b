"""The table of operators that have kernels, and what their functions share."""

import math

import numpy as np

from minigluon.backend.table import KernelTable

__all__ = ["find", "finished", "kernel_for", "parts", "prepared_operators", "size"]

_REALS = (np.dtype("float32"), np.dtype("float64"))

_kernels = KernelTable()
kernel_for = _kernels.kernel_for        # by names of operators, not aliases

GRAIN = 2 ** 14     # elements: a part of some microseconds, which pays for telling another thread


def prepared_operators():
    """{name: function} of all operators that have kernels."""
    return _kernels.functions()


def find(op, inputs, outputs, train, rng):
    """The Call for an operator on arrays of these Specs, or a text: why it has none."""
    if _kernels.function_for(type(op)) is None:
        return "no kernel"
    if any(not spec.dtype.isnative for spec in (*inputs, *outputs)):
        return "bytes in foreign order"
    return _kernels.find(op, inputs, outputs, train=train, rng=rng)


def size(spec):
    """Number of elements."""
    return math.prod(spec.shape)


def parts(work, grain=GRAIN, most=64):
    """Into how many parts to divide so much work: as many as there are whole grains in it, 0 where there is none."""
    return min(max(work // grain, 1), most) if work else 0


def finished(count, each):
    """How long so many parts take, as the mean of two and of four threads that share them evenly or not."""
    return each * (-(-count // 2) * 2 + -(-count // 4) * 4) / 2


def reals(*specs):
    """None if all are of one type, float32 or float64; else the reason to decline."""
    if specs[0].dtype not in _REALS:
        return f"dtype {specs[0].dtype}"
    if any(spec.dtype != specs[0].dtype for spec in specs):
        return "mixed dtypes"
    return None
