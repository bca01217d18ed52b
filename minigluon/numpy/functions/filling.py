"""Functions that return an array with the shape of another, filled with a value or a copy of it."""

from __future__ import annotations

import numpy as onp

from ..table import function
from .common import as_type, dtype_of, zeros
from .sources import lengths_of


@function("copy")
def copy(F, a, out=None):
    """Return a copy of the array.

    a (any shape and type) | out like a

    >>> x = np.zeros(2)
    >>> y = np.copy(x)
    >>> y[0] = 1
    >>> x
    array([0., 0.])
    """
    return F.identity(a)


@function("astype")
def astype(F, x, dtype, copy=True):
    """Return the elements converted to `dtype`, always as a copy. MXNet 1.9.1 has only the method.

    x (any shape and type) | out with type dtype

    copy: no effect.

    >>> np.astype(np.array([1.5, 2]), "int32")
    array([1, 2], dtype=int32)
    """
    return as_type(F, x, dtype)


@function("zeros_like")
def zeros_like(F, a, dtype=None, order="C", ctx=None, out=None):
    """Return zeros with the shape of an array.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.zeros_like(np.array([1, 2], dtype="int32"))
    array([0, 0], dtype=int32)
    """
    return as_type(F, F.zeros_like(a), dtype)


@function("ones_like")
def ones_like(F, a, dtype=None, order="C", ctx=None, out=None):
    """Return ones with the shape of an array.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.ones_like(np.array([1, 2], dtype="int32"))
    array([1, 1], dtype=int32)
    """
    return as_type(F, F.ones_like(a), dtype)


@function("full_like")
def full_like(F, a, fill_value, dtype=None, order="C", ctx=None, out=None):
    """Return an array filled with a number, with the shape of another array.

    a (any shape and type) | out with type dtype, by default that of a

    >>> np.full_like(np.array([1, 2], dtype="int32"), 7)
    array([7, 7], dtype=int32)
    """
    kind = dtype_of(a) if dtype is None else onp.dtype(dtype)
    filled = F.add(as_type(F, F.zeros_like(a), "int32" if kind.kind == "b" else kind), fill_value)
    return as_type(F, F.not_equal(filled, 0) if kind.kind == "b" else filled, kind)


@function("empty_like")
def empty_like(F, prototype, dtype=None, order="C", subok=False, shape=None):
    """Return an array with the same shape as another and arbitrary contents, which are zeros here.

    prototype (any shape and type) | out with type dtype, by default that of prototype, and shape `shape`

    >>> np.empty_like(np.ones((2, 3))).shape
    (2, 3)
    """
    like = as_type(F, prototype, dtype)
    return F.zeros_like(like) if shape is None else zeros(F, F.BlockGrad(like), lengths_of(shape))
