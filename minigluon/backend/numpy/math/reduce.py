"""Sums and other reductions over axes, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.math.reduce import Reduce, _mean_weight, _spread_like, reduced_shape
from ....ops.numeric import sum_along, sum_steps
from ....ops.shapes import size_of
from ..table import forward_of, kernel_for

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op

MAX_SHAPES = 64


def by_shape(prepare: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function of arrays that calls `prepare(*arrays)(*arrays)` and prepares only once per shapes.

    Preparing takes longer than adding a few hundred elements.
    """
    prepared: dict[Any, Any] = {}

    def forward(*arrays):
        key = tuple([array.shape for array in arrays])
        run = prepared.get(key)
        if run is None:
            if len(prepared) >= MAX_SHAPES:
                prepared.clear()
            run = prepared[key] = prepare(*arrays)
        return run(*arrays)
    return forward


def reduce_into(reduce: Callable[..., Any], shape: Sequence[Any], axes: tuple[int, ...],
                dtype: Any = None) -> Callable[..., Any]:
    """Returns `fold(x, target)`, which writes `reduce(x, axes, dtype)` to a contiguous target and returns it.

    The result has the summed axes with length 1. A target of None is new memory.
    """
    kept = reduced_shape(shape, axes, True)

    def fold(x, target=None):
        return reduce(x, axes, dtype, None if target is None else target.reshape(kept), True)
    return fold


def sum_into(shape: Sequence[Any], axes: tuple[int, ...], dtype: Any = None) -> Callable[..., Any]:
    """Returns `fold(x, target)` like `reduce_into` for `sum_along` of floats with this shape.

    The result has any shape of the right size.
    """
    if any(not isinstance(n, int) for n in shape):        # symbolic: decided at each size
        return reduce_into(sum_along, shape, axes, dtype)
    plan, add = sum_steps(tuple(shape), axes), np.add.reduce
    if plan is None:
        return reduce_into(add, shape, axes, dtype)
    steps = plan[0]
    if len(steps) != 2 or steps[0][2] is None or steps[0][2][0] != 1:
        return reduce_into(sum_along, shape, axes, dtype)
    # the most common case: the leading axes, in two steps
    (parts, rest, (_, rows, after), _), ((_, few, _), *_) = steps
    parts, axis = (parts, 1) if parts[0] > 1 else (parts[1:], 0)

    def fold(x, target=None):
        total = add(x.reshape(parts), axis, dtype).reshape(few, after)
        return add(total, 0, dtype, None if target is None else target.reshape(after))

    def fold_with_rest(x, target=None):
        x = x.reshape(rows, after)
        total = add(x[:-rest].reshape(parts), axis, dtype).reshape(few, after)
        total[:rest] += x[-rest:]
        return add(total, 0, dtype, None if target is None else target.reshape(after))
    return fold_with_rest if rest else fold


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
