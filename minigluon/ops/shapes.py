"""Arithmetic on shapes that may be partly unknown. None is an unknown shape, or an unknown dimension."""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple, TypeGuard

import numpy as np

__all__ = ["FullShape", "PartialShape", "Spec", "around", "broadcast", "fill", "is_known", "merge", "size_of"]


FullShape = tuple[int, ...]
PartialShape = tuple[int | None, ...] | None


class Spec(NamedTuple):
    """A buffer's shape and element type."""

    shape: FullShape
    dtype: np.dtype[Any]


def is_known(shape: PartialShape) -> TypeGuard[FullShape]:
    """Return whether the shape and all its dimensions are known."""
    return shape is not None and None not in shape


def size_of(shape: FullShape) -> int:
    """Return the number of elements of a known shape."""
    return math.prod(shape)


def around(shape: FullShape, axis: int) -> tuple[int, int, int]:
    """Return (before, n, after): the number of elements before an axis of a known shape, along it, and after it."""
    axis %= len(shape)
    return math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1:])


def merge(a: PartialShape, b: PartialShape) -> PartialShape | Literal[False]:
    """Return the shape that a and b both describe, or False if they contradict each other.

    >>> merge((2, None), (None, 3))
    (2, 3)
    """
    if a is None or b is None:
        return b if a is None else a
    if a == b:
        return a
    if len(a) != len(b):
        return False
    merged: list[int | None] = []
    for x, y in zip(a, b, strict=True):
        if x is not None and y is not None and x != y:
            return False
        merged.append(y if x is None else x)
    return tuple(merged)


def fill(shape: PartialShape, other: PartialShape) -> PartialShape:
    """Return the shape with its unknown lengths filled in from another shape with the same number of axes.

    >>> fill((2, None), (5, 3))
    (2, 3)
    """
    if shape is None or other is None or len(shape) != len(other):
        return other if shape is None else shape
    return tuple([n if m is None else m for m, n in zip(shape, other, strict=True)])


def broadcast(a: PartialShape, b: PartialShape) -> PartialShape | Literal[False]:
    """Return two shapes broadcast as in NumPy, or False. Length 1 combined with an unknown length is unknown."""
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    out: list[int | None] = []
    for x, y in zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b, strict=True):
        if x == y or y == 1:
            out.append(x)
        elif x == 1:
            out.append(y)
        elif x is None or y is None:
            out.append(y if x is None else x)       # the known length is not 1, so it is the length of the result
        else:
            return False
    return tuple(out)
