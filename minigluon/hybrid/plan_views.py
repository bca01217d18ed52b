"""Views of a plan: its steps as text, the memory of its values, and the time that each step takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

from ..backend.contract import Buffer
from .layout import Fresh, Step
from .memory import MemoryPlan
from .program import Program, Values, no_operands

__all__ = ["PlanViews"]


class PlanViews:
    """Mixin for `Plan` that provides views for inspection."""

    steps: Any
    take: Callable[[], Values]
    give_back: Callable[[Values], None]
    _allocate: Callable[[Fresh, Values, Mapping[int, Buffer | None]], None]
    _layout: Any
    _forward: Program
    _backward: Program
    _fresh_results: Fresh
    _fresh_gradients: Fresh
    _inputs: int
    _heads: slice

    @property
    def memory(self) -> MemoryPlan:
        """The memory plan of the intermediate values."""
        return self._layout.memory

    def __str__(self) -> str:
        """Returns text with one line per step, followed by the memory."""
        lines = [f"{step.phase:8} {step.node.name}: {step.op.name}"
                 + ("" if step.kernel else ", a view") for step in self.steps]
        return "\n".join([*lines, str(self.memory)])

    def profile(self, buffers: list[Buffer], head_grads: list[Buffer] | None = None,
                rounds: int = 10) -> list[tuple[Step, float]]:
        """Returns [(Step, seconds)], the shortest time that each step took in several runs. Views take no time and are
        omitted. """
        best: dict[Step, float] = {}
        for _ in range(rounds):
            values = self.take()
            values[:self._inputs] = buffers
            self._allocate(self._fresh_results, values, {})
            programs = [self._forward]
            if head_grads is not None:
                values[self._heads] = head_grads
                self._allocate(self._fresh_gradients, values, {})
                programs.append(self._backward)
            for program in programs:
                for number, (step, line) in enumerate(zip(program.steps, program.lines, strict=True)):
                    program.make_views(number, values)
                    kernel, operands, targets = line
                    start = perf_counter()
                    kernel(operands(values), targets(values))
                    if operands is not no_operands:    # freeing a result does not count as part of a step
                        best[step] = min(best.get(step, 1e9), perf_counter() - start)
            self.give_back(values)
        return list(best.items())
