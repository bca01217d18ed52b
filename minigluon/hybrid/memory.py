"""Memory planning: the position of each intermediate value in one block of memory, and its lifetime.

A value lives from the step that writes it to the last step that reads it. Two values may share memory if their
lifetimes do not overlap. Placing them in as little memory as possible is a packing problem. A greedy algorithm that
places the largest first, each as low as possible, is close to optimal. Source: Pisarchyk and Lee, arXiv:2001.03288.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .memory_views import MemoryViews

__all__ = ["Buffer", "MemoryPlan", "assign_offsets"]

ALIGNMENT = 64          # in bytes: the size of a cache line, and also of the widest vector register


@dataclass
class Buffer:
    """A piece of memory: `size` bytes that live from step `first` to step `last`, inclusive.

    offset: its position in the block; None for memory outside the block, which `kind` describes.
    kind: 'value', 'scratch', 'constant' (created once), 'result', 'gradient' (the caller's), 'own' (its kernel's).
    """

    name: str
    size: int
    first: int
    last: int
    kind: str = "value"
    offset: int | None = None
    shared_by: tuple[str, ...] = ()     # names of the values that occupy it, one after another

    def lives_with(self, other: Buffer) -> bool:
        """Return whether there is a step at which both buffers are needed."""
        return self.first <= other.last and other.first <= self.last


@dataclass
class MemoryPlan(MemoryViews):
    """A plan's buffers. All sizes are in bytes."""

    buffers: list[Buffer]
    size: int               # the size of the block
    naive: int              # the size if every value and scratch buffer had its own memory
    steps: int


def assign_offsets(buffers: Sequence[Buffer]) -> int:
    """Set the offset of each 'value' and 'scratch' buffer, and return the size of the block."""
    inside = [b for b in buffers if b.kind in ("value", "scratch")]
    placed = np.empty((4, len(inside)), np.int64)       # columns: offset, end, first, last; rows sorted by offset
    for count, buffer in enumerate(sorted(inside, key=lambda b: (-b.size, b.first))):
        size = _aligned(buffer.size)
        buffer.offset = _lowest_gap(size, buffer.first, buffer.last, placed[:, :count])
        at = np.searchsorted(placed[0, :count], buffer.offset)
        placed[:, at + 1:count + 1] = placed[:, at:count]
        placed[:, at] = buffer.offset, buffer.offset + size, buffer.first, buffer.last
    return int(placed[1].max(initial=0))


def _lowest_gap(size: int, first: int, last: int, placed: Any) -> int:
    """Return the lowest offset at which `size` bytes overlap nothing that is alive between steps first and last. All of
    `placed` are compared at once, because graphs for long sequences have thousands of buffers."""
    offsets, ends, others_first, others_last = placed
    rivals, = ((others_first <= last) & (first <= others_last)).nonzero()
    if not len(rivals) or offsets[rivals[0]] >= size:
        return 0
    free_from = np.maximum.accumulate(ends[rivals])     # for each rival, the highest end among the rivals up to it
    gaps, = (free_from[:-1] + size <= offsets[rivals[1:]]).nonzero()
    return int(free_from[gaps[0] if len(gaps) else -1])


def _aligned(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT
