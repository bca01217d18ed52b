"""Sums and other reductions over axes, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math.reduce import Reduce, _mean_weight, _spread_like, reduced_shape
from ....ops.shapes import size_of
from ..table import forward_of, kernel_for
from .sums import by_shape, reduce_into, sum_into

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op


def _declines(op, dtype):
    return op.ufunc is None or dtype.kind != "f" or dtype.itemsize < 4


@forward_of(Reduce)
def reduce_forward(op: Op, *dtypes: DType) -> Callable[..., Any]:
    if _declines(op, dtypes[0]):
        return op.forward

    def prepare(data):
        axes = op.axes(data.ndim)
        fold, divisor = _fold(op, data, axes), op.divisor(data, axes)
        shape = reduced_shape(data.shape, axes, op.keepdims)
        if divisor is None:
            return lambda data: fold(data).reshape(shape)

        def divided(data):
            out = fold(data).reshape(shape)
            return np.divide(out, divisor, out)
        return divided
    return by_shape(prepare)


@kernel_for(Reduce)
def reduction(op, inputs, outputs):
    data, axes = inputs[0], op.axes(len(inputs[0].shape))
    if _declines(op, data.dtype):
        return f"dtype {data.dtype}, which is summed in a wider type"
    fold, divisor = _fold(op, data, axes), op.divisor(data, axes)

    def run(inputs, targets):
        fold(inputs[0], targets[0])
        if divisor is not None:
            np.divide(targets[0], divisor, targets[0])
    return run


def _fold(op, data, axes):
    return sum_into(data.shape, axes) if op.ufunc is np.add else reduce_into(op.ufunc.reduce, data.shape, axes)


@kernel_for(_spread_like)
def spread(op, inputs, outputs):
    like = inputs[1].shape
    shape = reduced_shape(like, op.axes(len(like)), True)
    return lambda inputs, targets: np.copyto(targets[0], inputs[0].reshape(shape))


@kernel_for(_mean_weight)
def mean_weight(op, inputs, outputs):
    value = np.array(size_of(inputs[1].shape) / max(size_of(inputs[0].shape), 1)).astype(inputs[0].dtype)
    return lambda inputs, targets: targets[0].fill(value)
