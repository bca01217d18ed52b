"""`sum_along` for arrays of one shape, decided in advance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....ops.math.reduce import reduced_shape
from ....ops.numeric import sum_along, sum_steps
from ....ops.symbolic_dimensions import has_symbolic_dim

__all__ = ["by_shape", "reduce_into", "sum_into"]

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
    if has_symbolic_dim(shape):
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
