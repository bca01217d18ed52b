"""Programs that a backend runs in one call, instead of Python's loop over lines, and their interface to a plan."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..backend import Spec
from ..backend.contract import Backend, Buffer
from ..context import Context
from .layout import Fresh, Layout, Step
from .program import FAILURES, Program, Values, fail_at

__all__ = ["BackendPlanViews", "CompiledProgram", "find_aliases", "views_of"]


Views = dict[int, tuple[int, int, Any]]     # slot: (slot of its base, position of its step, function that creates it)


class CompiledProgram(Program):
    """A Program whose lines the backend runs, except those it leaves to Python. compiled: see `contract.Program`.

    views: functions that create views that the backend does not need, for lines that it leaves to Python.
    """

    def __init__(self, program: Program, compiled: Any, views: Views):
        self.lines, self.steps = program.lines, program.steps
        self.positions, self.slots = program.positions, program.slots
        self.compiled, self.run, self.views = compiled, compiled.run, views

    def with_kernels(self, lines: list[Any], kernels: Sequence[Any]) -> CompiledProgram:
        """Returns the same program for a different size. kernels: the kernels of all steps for that size."""
        views = {slot: (source, position, kernels[position]) for slot, (source, position, _) in self.views.items()}
        program = CompiledProgram(self, self.compiled.like([line[0] for line in lines]), views)
        program.lines = lines
        return program

    def caller(self, plan: Any) -> Callable[[list[Buffer]], Sequence[Buffer]] | None:
        """Returns the backend's function that runs a plan's entire forward part, or None if it has none."""
        # A result with two shapes consists of two values, which only `Plan.forward` creates.
        return self.compiled.caller(plan) if all(len(members) == 1 for _, _, members in plan._fresh_results) else None

    def __call__(self, values: Values) -> None:
        self.finish(values, self.run(values, 0))

    def make_views(self, line: int, values: Values) -> None:
        for slot in self.views.keys() & self.slots[line]:
            source, _, view = self.views[slot]
            values[slot], = view([values[source]])

    def finish(self, values: Values, line: int) -> None:
        """Runs this line, which the backend leaves to Python, then continues in the backend until the end."""
        while line < len(self.lines):
            kernel, operands, targets = self.lines[line]
            self.make_views(line, values)
            try:
                kernel(operands(values), targets(values))
            except FAILURES as error:
                fail_at(self.steps[line], values, error)
            line = self.run(values, line + 1)


class BackendPlanViews:
    """A plan's interface for `contract.Program.caller`, which does what `Plan.call` does."""

    ctx: Context
    _layout: Any
    _backend: Backend
    _forward: Program
    _fresh_results: Fresh
    _inputs: int
    _results: list[int]
    _outside: list[int]
    pool: deque[Values]

    @property
    def new_values(self) -> Callable[[], Values]:
        """Returns a function that creates a `values` list. The function does not refer to the plan, which refers to its
        caller. """
        return partial(self._layout.new_values, self._backend)

    @property
    def empty(self) -> Callable[[tuple[int, ...], Any], Buffer]:
        """Returns a function of (shape, dtype) that allocates a result, or raises an error with the reason."""
        return partial(self._backend.empty, ctx=self.ctx)

    @property
    def input_count(self) -> int:
        """The number of inputs at the beginning of `values`."""
        return self._inputs

    @property
    def results(self) -> list[int]:
        """Returns the slots of the results."""
        return self._results

    @property
    def allocated(self) -> list[tuple[Spec, int]]:
        """Returns [(Spec, slot)] for all values that a run allocates: results that are not views of other values."""
        return [(Spec(shape, dtype), members[0][0]) for shape, dtype, members in self._fresh_results]

    @property
    def left_empty(self) -> list[int]:
        """Returns the slots that a run clears when it ends, in addition to the inputs."""
        return self._outside

    @property
    def finish(self) -> Callable[[Values, int], None]:
        """Returns `finish(values, line)`, which runs the rest of the forward part after the program has stopped
        early."""
        assert isinstance(self._forward, CompiledProgram)
        return self._forward.finish


def views_of(layout: Layout, aliases: dict[int, int]) -> Views:
    """Returns the functions that create the views returned by `find_aliases`."""
    return {step.outputs[0]: (aliases[step.outputs[0]], position, step.kernel)
            for position, step in enumerate(layout.steps) if step.outputs[0] in aliases}


def find_aliases(layout: Layout) -> dict[int, int]:
    """Returns {slot: slot of its base} for views created while the plan runs and read only by the backend's lines.

    These lines read the base's memory, so the view itself is not needed.
    """
    readers: dict[int, list[Step]] = {}
    for step in layout.steps:
        for slot in step.inputs:
            readers.setdefault(slot, []).append(step)
    aliases: dict[int, int] = {}
    for step in reversed(layout.steps):
        views = [s for s in readers.get(step.outputs[0], ()) if s.outputs[0] in aliases]
        others = [s for s in readers.get(step.outputs[0], ()) if s not in views]
        if (step.op.is_view and step.kernel is not None and not step.writes
                and all(getattr(s.kernel, "runs_in_programs", False) for s in others)):
            aliases[step.outputs[0]] = step.inputs[0]
    for slot in reversed(list(aliases)):       # in the order of creation, so each leads to a slot that is not a view
        aliases[slot] = aliases.get(aliases[slot], aliases[slot])
    return aliases
