"""The plan: each node's kernel, prepared once, with the slots of its operands; run many times.

    values      one list for a run: a slot for each input, intermediate value and result of the graph
    program     [(kernel, getter of its operands from values, getter of its targets)]
    block       the memory that `layout.py` has divided; the intermediate values are views of it

A plan has a forward part, and with gradients a backward part that finds in the same `values` what it needs. A run
takes a `values` list from a pool and gives it back afterwards. So several threads, or several forward passes before
one backward pass, do not get in each other's way, and memory is allocated for the first of them only.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import length_hint
from time import perf_counter
from typing import Any, NoReturn

from ..backend import Spec, backend_for
from ..backend.contract import Backend, Buffer
from ..backend.numpy import refusal
from ..base import MXNetError
from ..context import Context
from ..ops.shapes import FullShape
from ..symbol.graph import Node, Pair, located
from ..symbol.symbol import Symbol
from .fuse import getter
from .layout import Layout, Step
from .memory import MemoryPlan
from .parameter_constants import Makers

__all__ = ["Plan"]

Values = list[Buffer | None]
Run = Callable[[Any, Any], object]              # (operands, targets)
Line = tuple[Run, Callable[[Values], Any], Callable[[Values], Any]]
Fresh = Sequence[tuple[FullShape, Any, Sequence[tuple[int, FullShape]]]]        # shape, dtype, [(slot, shape)]
_FAILURES = MXNetError, ArithmeticError, LookupError, MemoryError, TypeError, ValueError


class Plan:
    """A graph that is ready to run on one device, for inputs of known shapes.

    graph: a Symbol; its first `count` outputs are the results, the others the gradients. specs: the Spec of every
    (node, output). variables: the nodes of its inputs, in the order in which `forward` takes their buffers; the last
    ones, `heads`, stand for the gradients that arrive at the results, which `backward` takes. makers: what makes the
    last of the variables of the others, see `parameter_constants.py`.
    """

    def __init__(self, graph: Symbol, count: int, specs: dict[Pair, Spec], variables: Sequence[Node],
                 heads: Sequence[Node], ctx: Context, train: bool = False, layout: Any = None,
                 makers: Makers | None = None):
        self.graph, self.ctx, self.train, self.makers = graph, ctx, train, makers
        self._backend: Backend = backend_for(ctx)
        layout = layout or Layout(graph, count, specs, [*variables, *heads], ctx, train)
        self._inputs = len(variables)
        self._heads = slice(len(variables), len(variables) + len(heads))
        aliases = _aliases(layout)
        self._forward = _Program(layout, "forward", aliases, self._backend)
        self._backward = _Program(layout, "backward", aliases, self._backend)
        self._empty = self._backend.empty
        self._result_pairs, self._gradient_pairs = graph.heads[:count], graph.heads[count:]
        self._results: list[int] = [layout.slot_of[pair] for pair in self._result_pairs]
        self._gradients: list[int] = [layout.slot_of[pair] for pair in self._gradient_pairs]
        self._get_results = getter(self._results)
        self._no_inputs: list[None] = [None] * layout.inputs
        self._outside: list[int] = layout.outside()
        self._take_sizes(layout)

    def _take_sizes(self, layout: Any) -> None:
        """Whatever depends on the sizes of this layout."""
        self._layout: Any = layout      # a Layout, or a SizedLayout
        self._fresh_results: Fresh = layout.fresh(self._result_pairs)
        self._fresh_gradients: Fresh = layout.fresh(self._gradient_pairs)
        self._specs_of_gradients: list[Spec] = layout.specs_of(self._gradient_pairs)
        pool: deque[Values] = deque()
        self.pool = pool                # its methods are atomic, so threads share it without a lock
        self._take, self._put, self._clear = pool.pop, pool.append, pool.clear
        # A result in two shapes is two values, which only `forward` makes.
        compiled = self._forward.compiled
        if compiled is not None and all(len(members) == 1 for _, _, members in self._fresh_results):
            call = compiled.caller(self)
            if call is not None:
                self.__dict__["call"] = call        # not the method itself: that would hold the plan, which holds it

    def like(self, layout: Any) -> Plan:
        """The plan for other sizes, of which this is the layout: see `named_layout.py`."""
        plan = object.__new__(Plan)
        plan.__dict__.update(self.__dict__)
        plan.__dict__.pop("call", None)
        plan._forward, plan._backward = self._forward.like(layout), self._backward.like(layout)
        plan._take_sizes(layout)
        return plan

    @property
    def steps(self) -> list[Step]:
        """The nodes as they run."""
        return self._layout.steps

    @property
    def memory(self) -> MemoryPlan:
        """Where the intermediate values lie."""
        return self._layout.memory

    def __str__(self) -> str:
        """One line for each step, then the memory."""
        lines = [f"{step.phase:8} {step.node.name}: {step.op.name}"
                 + ("" if step.kernel else ", a view") for step in self.steps]
        return "\n".join([*lines, str(self.memory)])

    # -- running ------------------------------------------------------------------------------------------------

    def take(self) -> Values:
        """A `values` list for one run, from the pool if one is there."""
        try:
            return self._take()
        except IndexError:
            return self._layout.new_values(self._backend)

    def give_back(self, values: Values) -> None:
        """Return a `values` list, which lets go of inputs and results."""
        values[:self._layout.inputs] = self._no_inputs
        for slot in self._outside:
            values[slot] = None
        self._put(values)

    def free(self) -> None:
        """Let go of the memory that waits for the next run."""
        self._clear()

    def call(self, buffers: list[Buffer]) -> Sequence[Buffer]:
        """Run the forward part alone, on the buffers of the variables; returns those of the results, new ones."""
        values = self.take()
        results = self.forward(values, buffers)
        self.give_back(values)
        return results

    # -- what a backend's `Program.caller` needs to do the same ---------------------------------------------------

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
        return self._forward.finish

    def forward(self, values: Values, buffers: list[Buffer]) -> Sequence[Buffer]:
        """Run the forward part on the buffers of the variables; returns those of the results, new ones."""
        values[:self._inputs] = buffers
        for shape, dtype, members in self._fresh_results:
            array = self._empty(shape, dtype, self.ctx)
            for slot, its_shape in members:
                values[slot] = array if its_shape is shape else array.reshape(its_shape)
        self._forward(values)
        return self._get_results(values)

    def backward(self, values: Values, head_grads: list[Buffer], targets: Sequence[Buffer | None] | None = None,
                 keep: bool = False) -> list[Buffer]:
        """Run the backward part after `forward` on the same `values`; returns the buffers of the gradients.

        targets: for each gradient a buffer to write it to, or None. keep=True leaves `values` as they were for another
        backward; otherwise the backward part overwrites what it has read for the last time.
        """
        if keep:
            values = self._layout.copy_values(values, self._backend)
        values[self._heads] = head_grads
        self._allocate(self._fresh_gradients, values, dict(zip(self._gradients, targets or ())))
        self._backward(values)
        return [values[slot] for slot in self._gradients]

    def _allocate(self, fresh: Fresh, values: Values, targets: Mapping[int, Buffer | None]) -> None:
        for shape, dtype, members in fresh:
            array = None
            for slot, _ in members:         # an expression with `next` takes longer for what is mostly one member
                if array is None:
                    array = targets.get(slot)
            if array is None:
                array = self._empty(shape, dtype, self.ctx)
            for slot, its_shape in members:
                values[slot] = array if array.shape == its_shape else array.reshape(its_shape)

    # -- what the backward part needs ---------------------------------------------------------------------------

    @property
    def gradient_count(self) -> int:
        """Number of gradients."""
        return len(self._gradients)

    def can_write(self, index: int, buffer: Buffer) -> bool:
        """May `backward` write gradient number `index` to this buffer?"""
        return buffer.flags.c_contiguous and buffer.dtype == self._specs_of_gradients[index].dtype

    def inputs_of_backward(self) -> list[int]:
        """Numbers of the inputs that the backward part reads."""
        return sorted(self._slots_of_backward() & set(range(self._inputs)))

    def results_of_backward(self) -> list[int]:
        """Numbers of the results that the backward part reads."""
        read = self._slots_of_backward()
        return [number for number, slot in enumerate(self._results) if slot in read]

    def _slots_of_backward(self) -> set[int]:
        read = {slot for step in self.steps if step.phase == "backward" for slot in step.inputs}
        for step in reversed(self.steps):
            if step.op.is_view and not step.writes and not read.isdisjoint(step.outputs):
                read.update(step.inputs)
        # What is read as a view is read as what it is a view of.
        for storage in set(self._layout.storage_of.values()):
            if len(storage.members) > 1 and any(slot in read for slot, _, _ in storage.members):
                read.update(slot for slot, _, _ in storage.members)
        return read

    # -- seeing it ----------------------------------------------------------------------------------------------

    def profile(self, buffers: list[Buffer], head_grads: list[Buffer] | None = None,
                rounds: int = 10) -> list[tuple[Step, float]]:
        """[(Step, seconds)]: the shortest time of each step in some runs. Views, which take none, are left out."""
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
                for step, (kernel, operands, targets) in zip(program.steps, program.lines, strict=True):
                    start = perf_counter()
                    kernel(operands(values), targets(values))
                    if operands is not _no_operands:    # letting go of a result belongs to no step
                        best[step] = min(best.get(step, 1e9), perf_counter() - start)
            self.give_back(values)
        return list(best.items())


class _Program:
    """Lines to run, and the step that each belongs to. run: of the backend's program, None where there is none."""

    def __init__(self, layout: Layout, phase: str, aliases: dict[int, int], backend: Backend):
        self.lines: list[Line] = []
        self.steps: list[Step] = []
        self._positions: list[int | None] = []      # of the steps whose kernels the lines run
        slots: list[Sequence[int]] = []         # of each line's operands
        kept = {*aliases, *aliases.values()}        # what an alias stands for is read later than it seems
        for position, step in enumerate(layout.steps):
            if step.phase != phase or step.kernel is None or step.outputs[0] in aliases:
                continue
            targets = step.outputs + step.scratch
            if step.writes:
                line = step.kernel, getter(step.inputs), getter(targets)
            else:
                line = _allocating(step), getter(step.inputs), _all_values
            self.lines.append(line)
            self.steps.append(step)
            self._positions.append(position)
            slots.append(step.inputs + targets)
            dead = [slot for slot in layout.dying_at(position) if slot not in kept]
            if dead:
                self.lines.append((_forget(dead), _no_operands, _all_values))
                self.steps.append(step)
                self._positions.append(None)
                slots.append(())
        kernels = [kernel for kernel, _, _ in self.lines]
        self.compiled: Any = backend.prepare_program(
            list(zip(kernels, slots, strict=True)), aliases, len(layout.slot_of))
        self.run = None if self.compiled is None else self.compiled.run

    def like(self, layout: Any) -> _Program:
        """The same lines for other sizes."""
        made = object.__new__(_Program)
        at = layout.kernels
        made.lines = [line if position is None else (
                          at[position] if step.writes else _allocating(step._replace(kernel=at[position])), *line[1:])
                      for line, step, position in zip(self.lines, self.steps, self._positions, strict=True)]
        made.steps, made._positions = self.steps, self._positions
        made.compiled = None if self.compiled is None else self.compiled.like([line[0] for line in made.lines])
        made.run = None if made.compiled is None else made.compiled.run
        return made

    def __call__(self, values: Values) -> None:
        if self.run is not None:
            self.finish(values, self.run(values, 0))
            return
        lines = iter(self.lines)
        try:
            for kernel, operands, targets in lines:
                kernel(operands(values), targets(values))
        except _FAILURES as error:
            _fail_at(self.steps[len(self.lines) - length_hint(lines) - 1], values, error)

    def finish(self, values: Values, line: int) -> None:
        """Run this line, which the backend has left to Python; the backend goes on behind it. Repeat until the end."""
        assert self.run is not None
        while line < len(self.lines):
            kernel, operands, targets = self.lines[line]
            try:
                kernel(operands(values), targets(values))
            except _FAILURES as error:
                _fail_at(self.steps[line], values, error)
            line = self.run(values, line + 1)


def _fail_at(step: Step, values: Values, error: Exception) -> NoReturn:
    """Raise what a step's kernel has raised, as an MXNetError that tells the node."""
    if isinstance(error, MXNetError):
        raise located(error, step.node)
    raise located(refusal(step.op, [values[slot] for slot in step.inputs], error), step.node) from error


def _aliases(layout: Layout) -> dict[int, int]:
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


def _allocating(step: Step) -> Run:
    """A kernel that allocates its results, as one that puts them where the plan looks for them."""
    kernel, op = step.kernel, step.op
    names = op.argument_names(len(step.inputs))
    mutated = [names.index(name) for name in op.mutates]

    def run(inputs: Any, values: Any) -> None:
        results = kernel(inputs)
        for slot, result in zip(step.outputs, results, strict=False):
            own = result.flags.c_contiguous and all(result is not x for x in inputs)
            values[slot] = result if own else result.copy()
        for position, value in zip(mutated, results[len(step.outputs):], strict=False):
            if value is not None:
                inputs[position][...] = value
    return run


def _forget(slots: Sequence[int]) -> Run:
    """Let go of results that were allocated by their kernels, after their last use."""
    def run(_: Any, values: Any) -> None:
        for slot in slots:
            values[slot] = None
    return run


def _all_values(values: Values) -> Values:
    return values


def _no_operands(values: Values) -> tuple[()]:
    return ()
