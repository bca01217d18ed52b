"""The table of operators that have kernels, and what their functions share."""

import inspect
import math

import numpy as np

__all__ = ["find", "kernel_for", "parts", "prepared_operators", "size"]

_REALS = (np.dtype("float32"), np.dtype("float64"))

_table = {}         # name of the operator -> (function, does it take train, does it take rng)

GRAIN = 2 ** 14     # elements: a part of some microseconds, which pays for telling another thread


def kernel_for(*names):
    """Decorator: the function prepares the operators of these names (not aliases)."""
    def enter(function):
        arguments = inspect.signature(function).parameters
        for name in names:
            if name in _table:
                raise ValueError(f"operator {name} has two functions: {_table[name][0]} and {function}")
            _table[name] = function, "train" in arguments, "rng" in arguments
        return function
    return enter


def prepared_operators():
    """{name: function} of all operators that have kernels."""
    return {name: function for name, (function, _, _) in _table.items()}


def find(op, inputs, outputs, train, rng):
    """The Call for an operator on arrays of these Specs, or a text: why it has none."""
    if op.name not in _table:
        return "no kernel"
    if any(not spec.dtype.isnative for spec in (*inputs, *outputs)):
        return "bytes in foreign order"
    function, wants_train, wants_rng = _table[op.name]
    return function(op, inputs, outputs, **({"train": train} if wants_train else {}),
                    **({"rng": rng} if wants_rng else {}))


def size(spec):
    """Number of elements."""
    return math.prod(spec.shape)


def parts(work, grain=GRAIN, most=64):
    """Into how many parts to divide so much work: as many as there are whole grains in it, 0 where there is none."""
    return min(max(work // grain, 1), most) if work else 0


def reals(*specs):
    """None if all are of one type, float32 or float64; else the reason to decline."""
    if specs[0].dtype not in _REALS:
        return f"dtype {specs[0].dtype}"
    if any(spec.dtype != specs[0].dtype for spec in specs):
        return "mixed dtypes"
    return None
