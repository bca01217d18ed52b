"""Buckets: memory in which the arrays of a call are laid out in order, kept from step to step. One long
message takes less time than many short ones, and several buckets let one be added while the next one travels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .collectives import Memory

__all__ = ["Bucket", "Buckets", "sent_dtype"]

FIRST_BYTES = 1 << 20       # the first bucket is short, so that it can be sent early
BYTES = 8 << 20
MAX_BUCKETS = 128           # the maximum per call; with more bytes, buckets are longer


class Bucket:
    """Arrays of one dtype, in order.

    flat: the memory. members: the indices of the arrays. compressed: whether their sums may be rounded. pieces: the
    part of `flat` that belongs to each process; None if the arrays belong to all.
    """

    pieces: list[Any] | None = None

    def __init__(self, dtype: Any, members: Sequence[int], shapes: Sequence[Any], compressed: bool) -> None:
        self.members, self.compressed = tuple(members), compressed
        ends = np.cumsum([0, *[math.prod(shape) for shape in shapes]]).tolist()
        self.flat: Any = np.zeros(ends[-1], dtype)
        self.views: list[Any] = [self.flat[begin:end].reshape(shape)
                                 for begin, end, shape in zip(ends, ends[1:], shapes, strict=False)]
        self.memory = Memory()


class Buckets:
    """The buckets of a call.

    arrays: (dtype, shape, whether its sum may be rounded) for each array, in the order in which they will be there.
    indices: their indices; by default 0, 1, 2 ...
    owners: (the number of processes, the rank to which each array belongs in the order of `indices`); None if the
        arrays belong to all.
    """

    def __init__(self, arrays: Sequence[tuple[Any, Any, bool]], indices: Sequence[int] | None = None,
                 owners: tuple[int, Sequence[int]] | None = None) -> None:
        self.buckets: list[Bucket] = []
        self.views: dict[int, Any] = {}
        indices = range(len(arrays)) if indices is None else indices
        self._processes, ranks = owners or (0, ())
        self._owner_of = dict(zip(indices, ranks, strict=False))
        total = sum(_bytes(dtype, shape) for dtype, shape, _ in arrays)
        limit = max(BYTES, math.ceil(2 * total / MAX_BUCKETS))
        open_groups: dict[Any, list[Any]] = {}
        filled: dict[Any, int] = {}
        for index, (dtype, shape, compressed) in zip(indices, arrays, strict=True):
            kind = sent_dtype(np.dtype(dtype)), compressed
            group = open_groups.setdefault(kind, [])
            group.append((index, shape))
            filled[kind] = filled.get(kind, 0) + _bytes(dtype, shape)
            if filled[kind] >= (limit if self.buckets else min(limit, FIRST_BYTES)):
                self._close(kind, open_groups.pop(kind))
                filled[kind] = 0
        for kind, group in open_groups.items():
            self._close(kind, group)

    def _close(self, kind, group):
        dtype, compressed = kind
        if self._processes:
            group = sorted(group, key=lambda item: self._owner_of[item[0]])
        bucket = Bucket(dtype, *zip(*group, strict=True), compressed)
        if self._processes:
            sizes = [0] * self._processes
            for index, shape in group:
                sizes[self._owner_of[index]] += math.prod(shape)
            bucket.pieces = np.split(bucket.flat, np.cumsum(sizes)[:-1])
        self.buckets.append(bucket)
        self.views.update(zip(bucket.members, bucket.views, strict=True))


def sent_dtype(dtype: Any) -> Any:
    """Return the dtype in which sums of a dtype are computed: float16 has too few digits."""
    return dtype if dtype.char in "fdbBilq" else np.dtype("float32")


def _bytes(dtype, shape):
    return sent_dtype(np.dtype(dtype)).itemsize * math.prod(shape)
