"""A plan's lines for kernels that allocate their results because they cannot write to preallocated memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backend.kernel import store_mutated
from .layout import Step

__all__ = ["Run", "allocating", "forget"]

Run = Callable[[Any, Any], object]              # (operands, targets)


def allocating(step: Step) -> Run:
    """Adapts a kernel that allocates its results to one that stores them in the plan's slots."""
    kernel, op, count = step.kernel, step.op, len(step.outputs)

    def run(inputs: Any, values: Any) -> None:
        results = kernel(inputs)
        for slot, result in zip(step.outputs, results, strict=False):
            own = result.flags.c_contiguous and all(result is not x for x in inputs)
            values[slot] = result if own else result.copy()
        if op.mutates:
            store_mutated(op, inputs, results[count:])
    return run


def forget(slots: Sequence[int]) -> Run:
    """Returns a line that frees kernel-allocated results after their last use."""
    def run(_: Any, values: Any) -> None:
        for slot in slots:
            values[slot] = None
    return run
