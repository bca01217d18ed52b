"""Methods of NDArray that return its elements in another shape: views if possible, otherwise copies."""

from __future__ import annotations

import functools
import math
import numbers
from typing import Any

from .. import tape
from ..base import ShapeError
from ..common.types import Shape
from ..diagnostics.suggestions import Size
from ..ops import REGISTRY
from ..ops.error_details import describe
from ..providers import ask
from .imperative import invoke
from .ndarray import NDArray, method
from .register import operator_of

_state = tape.state


@method
@property
def size(self) -> int:
    """The number of elements.

    >>> nd.zeros((2, 3)).size
    6
    """
    return Size(math.prod(self.buffer.shape))


@method
@property
def ndim(self) -> int:
    """The number of axes.

    >>> nd.zeros((2, 3)).ndim
    2
    """
    return len(self.buffer.shape)


@method
def reshape(self: NDArray, *shape: Shape, **kwargs: Any) -> NDArray:
    """Returns a view in another shape. Writing to it writes to this array. It is recorded as the operator `reshape`.

    shape: integers or a tuple, with the codes 0, -1, -2, -3, -4 of `nd.reshape`.
    kwargs: `shape` by name; reverse=True reads the codes from the right.

    Raises ShapeError.

    >>> x = nd.zeros((2, 3))
    >>> x.reshape((3, -1)).shape, x.reshape(-1).shape
    ((3, 2), (6,))
    """
    if len(shape) == 1 and not isinstance(shape[0], numbers.Integral):
        shape = shape[0]
    shape = kwargs.pop("shape", shape) if shape == () else shape
    reverse = kwargs.pop("reverse", False)
    if kwargs:
        raise TypeError(f"reshape takes shape and reverse, found {', '.join(kwargs)}")
    op = _reshape_op((shape,) if isinstance(shape, numbers.Integral) else tuple(shape), reverse)
    if not op.shape and self.size != 1:
        raise ShapeError("reshape: no shape was given", "shape")
    return self._reshaped(op)


@method
def _reshaped(self: NDArray, op):
    try:
        new_shape = _output_shape(op, self.buffer.shape)
    except ShapeError as error:
        raise describe(error, op, [self.buffer]) from None
    view = self._view(self.buffer.reshape(new_shape))
    if _state.recording:
        tape.record_op(op, (self,), (view,))
    return view


@method
def expand_dims(self: NDArray, axis: int, inplace: bool = False) -> NDArray:
    """Returns a copy with an axis of length 1 before `axis`.

    inplace: whether to return a view.

    >>> nd.zeros((2, 3)).expand_dims(axis=1).shape
    (2, 1, 3)
    """
    op = operator_of("expand_dims", axis)
    return self._reshaped(op) if inplace else invoke(op, (self,))


@method
def squeeze(self: NDArray, axis: Shape | None = None, inplace: bool = False) -> NDArray:
    """Returns a copy without the axes of length 1, or without those in `axis`.

    inplace: whether to return a view.

    >>> nd.zeros((1, 2, 1)).squeeze().shape, nd.zeros((1, 2, 1)).squeeze(axis=0).shape
    ((2,), (2, 1))
    """
    op = operator_of("squeeze", tuple(axis) if isinstance(axis, list) else axis)
    return self._reshaped(op) if inplace else invoke(op, (self,))


@method
def flatten(self: NDArray, inplace: bool = False) -> NDArray:
    """Returns a copy of shape (N, product of the other axes).

    inplace: whether to return a view.

    >>> nd.zeros((2, 3, 4)).flatten().shape
    (2, 12)
    """
    op = operator_of("Flatten")
    return self._reshaped(op) if inplace else invoke(op, (self,))


@method
def transpose(self: NDArray, *axes: Shape, **kwargs: Any) -> NDArray:
    """Returns a copy with the axes in the given order (integers or a tuple), reversed by default. kwargs: `axes`.

    >>> x = nd.zeros((2, 3, 4))
    >>> x.transpose().shape, x.transpose(1, 0, 2).shape
    ((4, 3, 2), (3, 2, 4))
    """
    if len(axes) == 1 and not isinstance(axes[0], numbers.Integral):
        axes = axes[0]
    return ask("nd").transpose(self, axes=axes, **kwargs) if axes else ask("nd").transpose(self, **kwargs)


@method
@property
def T(self) -> NDArray:
    """The array with its axes reversed.

    >>> print(nd.array([[1, 2, 3]]).T.shape)
    (3, 1)
    """
    return self.transpose()


@method
def broadcast_to(self: NDArray, shape: Shape) -> NDArray:
    """Returns a copy with shape `shape`, in which axes of length 1 are repeated and new axes are added in front.

    >>> print(nd.array([1, 2]).broadcast_to((2, 2)).asnumpy())
    [[1. 2.]
     [1. 2.]]
    """
    shape = (shape,) if isinstance(shape, numbers.Integral) else tuple(shape)
    source = self
    if len(shape) > self.ndim:
        source = self.reshape((1,) * (len(shape) - self.ndim) + self.shape)
    return invoke(REGISTRY["broadcast_to"](shape=shape), (source,))


@functools.lru_cache(4096, typed=True)      # reverse=1.0 is refused, although it equals True
def _reshape_op(shape, reverse):
    return REGISTRY["Reshape"](shape=shape, reverse=reverse)


@functools.lru_cache(4096)
def _output_shape(op, shape):
    return op.infer_shape(shape)[1][0]
