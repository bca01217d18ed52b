"""Operators as methods of NDArray: `x.sum(axis=1)` is `nd.sum(x, axis=1)`."""

from __future__ import annotations

from collections.abc import Sequence

from ..common.types import Number, Shape
from ..frontend.methods import METHODS
from ..ops import REGISTRY
from .array_functions import split_v2
from .imperative import invoke
from .ndarray import NDArray
from .register import make_function

__all__ = ["LEFT_OUT", "METHODS", "add_methods"]

# The method of MXNet's NDArray that does not exist here, because there are no C library handles.
LEFT_OUT = ["handle"]

def add_methods() -> None:
    """Adds the methods to NDArray. Methods that the class defines (reshape, ...) are kept."""
    for name in METHODS:
        if name in REGISTRY and name not in NDArray.__dict__:
            setattr(NDArray, name, make_function(REGISTRY[name], name))
    NDArray.slice_assign = make_function(REGISTRY["_slice_assign"], "slice_assign")
    NDArray.slice_assign_scalar = slice_assign_scalar
    NDArray.split_v2 = split_v2
    NDArray.all, NDArray.any = all_true, any_true


def all_true(self: NDArray, axis: Shape | None = None, out: NDArray | None = None, keepdims: bool = False) -> NDArray:
    """Returns 1 if no element along the axes is 0, otherwise 0, as float32. `np.all(x)` calls it.

    axis: an axis or a tuple of axes; None for all axes.
    out: an array to write to.
    keepdims: whether to keep the axes with length 1.

    >>> print(nd.array([[1, 0], [1, 1]]).all(axis=1).asnumpy())
    [0. 1.]
    """
    zeros = (self == 0).astype("float32").sum(axis=axis, keepdims=keepdims)
    return invoke(REGISTRY["_equal_scalar"](scalar=0), (zeros,), out)


def any_true(self: NDArray, axis: Shape | None = None, out: NDArray | None = None, keepdims: bool = False) -> NDArray:
    """Returns 1 if any element along the axes is not 0, otherwise 0, as float32. `np.any(x)` calls it.

    axis: an axis or a tuple of axes; None for all axes.
    out: an array to write to.
    keepdims: whether to keep the axes with length 1.

    >>> print(nd.array([[1, 0], [0, 0]]).any(axis=1).asnumpy())
    [1. 0.]
    """
    others = (self != 0).astype("float32").sum(axis=axis, keepdims=keepdims)
    return invoke(REGISTRY["_not_equal_scalar"](scalar=0), (others,), out)


def slice_assign_scalar(self: NDArray, value: Number, begin: Sequence[int | None], end: Sequence[int | None],
                        step: Sequence[int | None]) -> NDArray:
    """Returns a copy with the elements of the slice set to `value`.

    begin: the start of the slice for each axis, None for the start of the axis.
    end: the end of the slice for each axis, None for the end of the axis.
    step: the step of the slice for each axis, None for 1.

    >>> print(nd.zeros(4).slice_assign_scalar(5, begin=(1,), end=(3,), step=(None,)).asnumpy())
    [0. 5. 5. 0.]
    """
    return invoke(REGISTRY["_slice_assign_scalar"](scalar=value, begin=begin, end=end, step=step), (self,))
