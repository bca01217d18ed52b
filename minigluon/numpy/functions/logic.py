"""Comparisons and logic, whose results are booleans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ..function_texts import TEXTS
from ..table import function
from .arithmetic import combined
from .common import as_type, dtype_of
from .reduction import reduced

_COMPARISONS = {"equal": "equal", "not_equal": "not_equal", "greater": "greater", "greater_equal": "greater_equal",
                "less": "lesser", "less_equal": "lesser_equal", "logical_and": "logical_and",
                "logical_or": "logical_or", "logical_xor": "logical_xor"}


def _row(name: str, nd_name: str) -> Callable[..., Any]:
    def call(F, x1, x2, out=None):
        return as_type(F, getattr(F, nd_name)(*combined(F, x1, x2)), "bool")

    call.__name__ = call.__qualname__ = name
    sentence, example = TEXTS[name]
    call.__doc__ = f"{sentence}\n\nx1, x2 (shapes that broadcast, any types, or numbers) | out bool\n\n{example}"
    return function(name)(call)


for _name, _nd_name in _COMPARISONS.items():
    _row(_name, _nd_name)


@function("logical_not")
def logical_not(F, x, out=None):
    """Return whether each element is 0.

    x (any shape and type) | out bool

    >>> np.logical_not(np.array([0, 1, -2]))
    array([ True, False, False])
    """
    return as_type(F, F.logical_not(x), "bool")


@function("isnan")
def isnan(F, x, out=None):
    """Return whether each element is NaN.

    x (any shape and type) | out bool

    >>> np.isnan(np.array([1, np.nan, np.inf]))
    array([False,  True, False])
    """
    return as_type(F, F.not_equal(x, x), "bool")


@function("isinf")
def isinf(F, x, out=None):
    """Return whether each element is infinite.

    x (any shape and type) | out bool

    >>> np.isinf(np.array([1, np.nan, -np.inf]))
    array([False, False,  True])
    """
    return as_type(F, F.equal(_magnitude(F, x), onp.inf), "bool")


@function("isfinite")
def isfinite(F, x, out=None):
    """Return whether each element is neither infinite nor NaN.

    x (any shape and type) | out bool

    >>> np.isfinite(np.array([1, np.nan, np.inf]))
    array([ True, False, False])
    """
    return as_type(F, F.lesser(_magnitude(F, x), onp.inf), "bool")


@function("isposinf")
def isposinf(F, x, out=None):
    """Return whether each element is +∞.

    x (any shape and type) | out bool

    >>> np.isposinf(np.array([np.inf, -np.inf]))
    array([ True, False])
    """
    return as_type(F, F.equal(_real(F, x), onp.inf), "bool")


@function("isneginf")
def isneginf(F, x, out=None):
    """Return whether each element is -∞.

    x (any shape and type) | out bool

    >>> np.isneginf(np.array([np.inf, -np.inf]))
    array([False,  True])
    """
    return as_type(F, F.equal(_real(F, x), -onp.inf), "bool")


def _real(F, x):
    return x if dtype_of(x).kind == "f" else as_type(F, x, "float32")


def _magnitude(F, x):
    return F.abs(_real(F, x))


@function("all", "alltrue")
def all_(F, a, axis=None, keepdims=False, out=None):
    """Return whether all elements along the axes are different from 0.

    a (any shape and type) | out bool

    >>> np.all(np.array([[1, 0], [1, 2]]), axis=1)
    array([False,  True])
    """
    return _none(F, F.equal(a, 0), axis, keepdims)


@function("any", "sometrue")
def any_(F, a, axis=None, keepdims=False, out=None):
    """Return whether any element along the axes is different from 0.

    a (any shape and type) | out bool

    >>> np.any(np.array([[0, 0], [0, 2]]), axis=1)
    array([False,  True])
    """
    return F.cast(F.logical_not(_none(F, F.not_equal(a, 0), axis, keepdims)), dtype="bool")


def _none(F, marks, axis, keepdims):
    """Return whether no mark along the axes is set."""
    return as_type(F, F.equal(reduced(F, "sum", as_type(F, marks, "int64"), axis, keepdims), 0), "bool")
