"""The lines of one part of a plan, and the loop that runs them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter, length_hint
from typing import Any, NoReturn

from ..backend.contract import Buffer
from ..base import MXNetError
from ..diagnostics.told_lines import add_location
from ..ops.error_details import refusal
from .allocating_kernels import Run, allocating, forget
from .layout import Layout, Step

__all__ = ["FAILURES", "Program", "Values", "fail_at", "getter", "no_operands"]

Values = list[Buffer | None]
Line = tuple[Run, Callable[[Values], Any], Callable[[Values], Any]]
FAILURES = MXNetError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError


class Program:
    """The lines to run, each with its step.
    phase: 'forward' or 'backward'. aliases: {slot: slot} for views that no line creates (see `find_aliases`)."""

    def __init__(self, layout: Layout, phase: str, aliases: Mapping[int, int]):
        self.lines: list[Line] = []
        self.steps: list[Step] = []
        self.positions: list[int | None] = []           # positions of the steps whose kernels the lines run
        self.slots: list[Sequence[int]] = []            # slots of each line's operands
        alias_slots = {*aliases, *aliases.values()}            # the source of an alias is also read through the alias
        for position, step in enumerate(layout.steps):
            if step.phase != phase or step.kernel is None or step.outputs[0] in aliases:
                continue
            targets = step.outputs + step.scratch
            if step.writes:
                line = step.kernel, getter(step.inputs), getter(targets)
            else:
                line = allocating(step), getter(step.inputs), _all_values
            self.lines.append(line)
            self.steps.append(step)
            self.positions.append(position)
            self.slots.append(step.inputs + targets)
            dead = [slot for slot in layout.last_used_at(position) if slot not in alias_slots]
            if dead:
                self.lines.append((forget(dead), no_operands, _all_values))
                self.steps.append(step)
                self.positions.append(None)
                self.slots.append(())

    def make_views(self, line: int, values: Values) -> None:
        """Create the values that this line reads but no line creates, before Python runs it. Here, none are created."""

    def __call__(self, values: Values) -> None:
        lines = iter(self.lines)
        try:
            for kernel, operands, targets in lines:
                kernel(operands(values), targets(values))
        except FAILURES as error:
            fail_at(self.steps[len(self.lines) - length_hint(lines) - 1], values, error)


def fail_at(step: Step, values: Values, error: Exception) -> NoReturn:
    """Re-raise the error of a step's kernel as an MXNetError that names the node."""
    if isinstance(error, MXNetError):
        raise add_location(error, step.node)
    raise add_location(refusal(step.op, [values[slot] for slot in step.inputs], error), step.node) from error


def _all_values(values: Values) -> Values:
    return values


def no_operands(values: Values) -> tuple[()]:
    return ()


def getter(indices: Sequence[int]) -> Callable[[Any], Any]:
    """Return a getter for the items at these indices. Unlike `itemgetter`, it returns a sequence even for one index."""
    if len(indices) == 1:
        return itemgetter(slice(indices[0], indices[0] + 1))
    return itemgetter(*indices) if indices else lambda values: ()
