"""Programs that a backend runs in one call instead of Python line by line, and what it needs to know of a plan."""

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


Views = dict[int, tuple[int, int, Any]]     # slot: slot that it is a view of, position of its step, what makes it


class CompiledProgram(Program):
    """A Program whose lines the backend runs, up to one that it leaves to Python. compiled: see `contract.Program`.

    views: how to make the views that the backend does without, for a line that it leaves to Python.
    """

    def __init__(self, program: Program, compiled: Any, views: Views):
        self.lines, self.steps = program.lines, program.steps
        self.positions, self.slots = program.positions, program.slots
        self.compiled, self.run, self.views = compiled, compiled.run, views

    def with_kernels(self, lines: list[Any], kernels: Sequence[Any]) -> CompiledProgram:
        """The same program at another size. kernels: of all steps there."""
        views = {slot: (source, position, kernels[position]) for slot, (source, position, _) in self.views.items()}
        made = CompiledProgram(self, self.compiled.like([line[0] for line in lines]), views)
        made.lines = lines
        return made

    def caller(self, plan: Any) -> Callable[[list[Buffer]], Sequence[Buffer]] | None:
        """The backend's function for a whole run of a plan's forward part, None where it has none."""
        # A result in two shapes is two values, which only `Plan.forward` makes.
        return self.compiled.caller(plan) if all(len(members) == 1 for _, _, members in plan._fresh_results) else None

    def __call__(self, values: Values) -> None:
        self.finish(values, self.run(values, 0))

    def make_views(self, line: int, values: Values) -> None:
        for slot in self.views.keys() & self.slots[line]:
            source, _, view = self.views[slot]
            values[slot], = view([values[source]])

    def finish(self, values: Values, line: int) -> None:
        """Run this line, which the backend has left to Python; the backend goes on behind it. Repeat until the end."""
        while line < len(self.lines):
            kernel, operands, targets = self.lines[line]
            self.make_views(line, values)
            try:
                kernel(operands(values), targets(values))
            except FAILURES as error:
                fail_at(self.steps[line], values, error)
            line = self.run(values, line + 1)


class BackendPlanViews:
    """What `contract.Program.caller` needs of a plan to do the same as `Plan.call`."""

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
        """A function that makes a `values` list. It does not hold the plan, which holds its caller."""
        return partial(self._layout.new_values, self._backend)

    @property
    def empty(self) -> Callable[[tuple[int, ...], Any], Buffer]:
        """A function (shape, dtype) that allocates a result, or raises the error that says why it cannot."""
        return partial(self._backend.empty, ctx=self.ctx)

    @property
    def input_count(self) -> int:
        """`values` begins with so many inputs."""
        return self._inputs

    @property
    def results(self) -> list[int]:
        """Slots of the results."""
        return self._results

    @property
    def allocated(self) -> list[tuple[Spec, int]]:
        """[(Spec, slot)] of what is allocated for each run: all results but views of others."""
        return [(Spec(shape, dtype), members[0][0]) for shape, dtype, members in self._fresh_results]

    @property
    def left_empty(self) -> list[int]:
        """Slots that a run lets go of when it ends, besides the inputs."""
        return self._outside

    @property
    def finish(self) -> Callable[[Values, int], None]:
        """`finish(values, line)`: run the rest of the forward part where the program stopped before its end."""
        assert isinstance(self._forward, CompiledProgram)
        return self._forward.finish


def views_of(layout: Layout, aliases: dict[int, int]) -> Views:
    """How to make the views that `find_aliases` has found."""
    return {step.outputs[0]: (aliases[step.outputs[0]], position, step.kernel)
            for position, step in enumerate(layout.steps) if step.outputs[0] in aliases}


def find_aliases(layout: Layout) -> dict[int, int]:
    """{slot: slot} of views that are made while the plan runs, and that only lines of the backend's programs read.

    Those lines read the memory that the view is of, so the view itself need not be made.
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
    for slot in reversed(list(aliases)):       # the first views first: each leads to what is no view
        aliases[slot] = aliases.get(aliases[slot], aliases[slot])
    return aliases
