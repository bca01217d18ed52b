"""Stretched axes, and sums over them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math.stretch import Stretch, _stretch_like, _sum_like, broadcast_like
from ....ops.shapes import size_of
from ..table import forward_of, kernel_for
from .reduce import by_shape, sum_into

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op


@kernel_for(Stretch, _stretch_like, broadcast_like)
def stretched(op, inputs, outputs):
    """Copies the data; NumPy broadcasts it to the target's shape."""
    return lambda inputs, targets: np.copyto(targets[0], inputs[0])


@forward_of(_sum_like)
def sum_like_forward(op: Op, dtype: DType, like: DType) -> Callable[..., Any]:
    if dtype.kind != "f":
        return op.forward

    def prepare(data, like):
        if data.shape == like.shape:
            return lambda data, like: data
        fold, shape = sum_into(data.shape, _stretched_axes(data.shape, like.shape), dtype), like.shape
        return lambda data, like: fold(data).reshape(shape)
    return by_shape(prepare)


@kernel_for(_sum_like)
def sum_like(op, inputs, outputs):
    shape, target = inputs[0].shape, outputs[0].shape
    if size_of(shape) == size_of(target):
        return lambda inputs, targets: np.copyto(targets[0], inputs[0].reshape(target))
    fold = sum_into(shape, _stretched_axes(shape, target), outputs[0].dtype)
    return lambda inputs, targets: fold(inputs[0], targets[0])


def _stretched_axes(shape, target):
    """Returns the axes along which an array with the shape `target` was stretched to `shape`."""
    full = (1,) * (len(shape) - len(target)) + target
    return tuple(i for i, (n, m) in enumerate(zip(shape, full, strict=True)) if n != m)
