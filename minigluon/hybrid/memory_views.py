"""Views of a plan's memory: its peak, as text, and step by step."""

from __future__ import annotations

from typing import Any

from ..base import MXNetError

__all__ = ["MemoryViews"]


class MemoryViews:
    """Mixin for MemoryPlan that provides views for inspection."""

    buffers: list[Any]
    size: int
    naive: int
    steps: int

    @property
    def peak(self) -> int:
        """Returns the maximum number of bytes at any step: the block, constants, and the step's values outside it.

        Gradients are not counted, because parameters' gradients are written directly to their own arrays.
        """
        always = self.size + sum(b.size for b in self.buffers if b.kind == "constant")
        outside = [b for b in self.buffers if b.kind in ("result", "own")]
        return always + max((sum(b.size for b in outside if b.first <= step <= b.last)
                             for step in range(self.steps)), default=0)

    def __str__(self) -> str:
        values = sum(b.kind == "value" for b in self.buffers)
        shared = sum(len(b.shared_by) for b in self.buffers if b.kind == "value")
        return (f"memory: {values} buffers in a block of {self.size} bytes, {self.naive} bytes if every value had its "
                f"own; {shared} values take the place of another")

    def at(self, step: int) -> list[Any]:
        """Returns the buffers that are alive at a step."""
        return [b for b in self.buffers if b.first <= step <= b.last]

    def no_block(self, error: MXNetError, size: int) -> MXNetError:
        """Return the error for a failed allocation of a block of this size; it says what the block is for."""
        largest = max(self.buffers, key=lambda buffer: buffer.size, default=None)
        if largest is None:
            return error
        return MXNetError(f"{error}\n  wanted for: the {size} bytes of intermediate values that the graph needs; the "
                          f"largest is {largest.name!r} with {largest.size} bytes")
