"""One plan for all shapes: signatures of a graph that differ in lengths alone share what the passes have made.

The first shape is compiled as it is. At the second one, the lengths that differ get names, N, L, M and so on, and the
passes run once more, with names for numbers (`ops/lengths.py`). From then on a new shape gets its plan from that: the
conditions are asked, the numbers are put in, and the kernels are those of `named_kernels.py`.

A condition that does not hold makes another variant. There are programs whose shapes decide the graph itself: a
`foreach` is written out for its length. They have a plan for each shape, and the Family tells why.
"""

import threading
from collections import deque
from functools import partial

from ..backend import Spec
from ..base import MXNetError
from ..ops.lengths import LEAST, Scope
from .compiler import collector_paused, run_passes
from .named_layout import NamedLayout
from .plan import Plan

__all__ = ["Family", "NamedPlan", "with_names"]

NAMES = "NLMKPQRSTUVW"
MAX_VARIANTS = 6
SEEN = 8                        # shapes that are remembered, to tell which lengths are the same
IDLE_BYTES = 2 ** 26            # of blocks that wait for the next call of their size
MAX_BLOCKS = 64


class NamedPlan:
    """Plans of all sizes for one graph: `plan_at(values)` for values of the names in `scope`.

    passed: what `run_passes` has made with Lengths of the scope for numbers.
    """

    def __init__(self, scope, passed, ctx, train):
        self.blocks = Blocks()          # a family puts its own here, for all its variants
        self.scope, self.graph, self.specs, self.indices = scope, passed.graph, passed.specs, passed.indices
        self.layout = NamedLayout(scope, passed.graph, passed.count, passed.specs, [*passed.inputs, *passed.heads],
                                  ctx, train)
        self.plan = Plan(passed.graph, passed.count, passed.specs, passed.inputs, passed.heads, ctx, train,
                          layout=self.layout.at(self.layout.example), makers=passed.makers)

    @classmethod
    @collector_paused()
    def make(cls, scope, symbol, known, variables, ctx, train, wanted, recomputed, kept=None):
        """Run the passes; None where the graph has no plan at all.

        Raises MXNetError and others where a number is needed in the place of a Length.
        """
        passed = run_passes(symbol, known, variables, ctx, train, wanted, recomputed=recomputed, kept=kept)
        made = None if passed.graph is None else cls(scope, passed, ctx, train)
        if scope.needed is not None:
            raise MXNetError(scope.needed)
        return made

    def plan_at(self, values):
        """The Plan for these values, None where the graph would be another one."""
        layout = self.layout.at(values)
        if layout is None:
            return None
        plan = self.plan.like(layout)
        layout.took_block = partial(self.blocks.add, plan.pool, layout.block_size)
        return plan


class Blocks:
    """The memory that plans of many sizes keep for their next calls, bounded: the oldest goes first."""

    def __init__(self):
        self._late, self._bytes, self._lock = deque(), 0, threading.Lock()

    def add(self, pool, size):
        """A plan with this pool has allocated a block of so many bytes."""
        with self._lock:
            self._late.append((pool, size))
            self._bytes += size
            while len(self._late) > 1 and (self._bytes > IDLE_BYTES or len(self._late) > MAX_BLOCKS):
                pool, size = self._late.popleft()
                pool.clear()
                self._bytes -= size


class Family:
    """The plans of one graph for inputs of the same ranks and types.

    takes_lengths: of the backend. reason: why there is a plan for each shape, or None.
    """

    def __init__(self, takes_lengths):
        self.lock, self.blocks = threading.Lock(), Blocks()
        self.seen = deque(maxlen=SEEN)
        self.variants = []              # (NamedPlan, its runner, the axes of each name, numbers of the other axes)
        self.reason = None if takes_lengths else "the device's backend makes a plan for each shape"

    def runner_at(self, shapes):
        """The runner for such inputs from one of the variants, or None."""
        for variant in self.variants:
            runner = variant.runner_at(shapes)
            if runner is not None:
                return runner
        return None

    def shapes(self, names):
        """Lines that tell what there is one plan for, and why there is a plan for each shape. names: of the inputs."""
        lines = [f"one plan for {variant.shapes_text(names)}" for variant in self.variants]
        if self.reason is not None and len(self.seen) > 1:
            lines.append(f"a plan for each shape: {self.reason}")
        return lines

    def names_for(self, shapes):
        """{name: [(input, axis)]}: the lengths that have changed since the first shapes; the same name where they were
        always the same. None before the second shape, or where there are too many variants.
        """
        self.seen.append(shapes)
        if self.reason is not None or len(self.seen) < 2:
            return None
        if len(self.variants) >= MAX_VARIANTS:
            self.reason = "the graph is another one for almost each shape"
            return None
        columns = {}                    # the values of a length in all shapes that were seen -> where it stands
        for number, lengths in enumerate(zip(*self.seen, strict=True)):     # of one input
            for axis, column in enumerate(zip(*lengths, strict=True)):
                if len(set(column)) > 1:
                    columns.setdefault(column, []).append((number, axis))
        if not columns or len(columns) > len(NAMES) or any(column[-1] < LEAST for column in columns):
            return None
        return dict(zip(NAMES, columns.values(), strict=False))

    def give_up(self, reason):
        """From now on there is a plan for each shape."""
        self.reason = reason

    def add(self, named_plan, runner, axes):
        """Remember a variant; returns the runner for the shapes that it was made at."""
        named_plan.blocks = self.blocks
        self.variants.insert(0, Variant(named_plan, runner, axes, self.seen[-1]))
        return self.runner_at(self.seen[-1])


class Variant:
    """A NamedPlan with the runner of its example. axes: {name: [(input, axis)]}. shapes: of the example."""

    def __init__(self, named_plan, runner, axes, shapes):
        self.named_plan, self.runner, self.axes, self.shapes = named_plan, runner, axes, shapes
        self.firsts = [places[0] for places in axes.values()]
        self.pairs = [(places[0], place) for places in axes.values() for place in places[1:]]
        named = {place for places in axes.values() for place in places}
        self.fixed = [(number, axis, n) for number, shape in enumerate(shapes) for axis, n in enumerate(shape)
                      if (number, axis) not in named]

    def shapes_text(self, names):
        """The inputs as 'data N × 8'."""
        named = {place: name for name, places in self.axes.items() for place in places}
        return ", ".join(" ".join([name, " × ".join(str(named.get((number, axis), n)) for axis, n in enumerate(shape))])
                         for number, (name, shape) in enumerate(zip(names, self.shapes, strict=False)))

    def runner_at(self, shapes):
        """The runner for such inputs; None where this variant does not fit."""
        values = [shapes[number][axis] for number, axis in self.firsts]
        if min(values) < LEAST or any(shapes[i][j] != n for i, j, n in self.fixed):
            return None
        if any(shapes[i][j] != shapes[k][m] for (i, j), (k, m) in self.pairs):
            return None
        plan = self.named_plan.plan_at(values)
        return None if plan is None else self.runner.like(plan)


def with_names(axes, names, specs, used):
    """(Scope, {variable: Spec}) with Lengths for the named axes, in the order of `axes`: {name: [(input, axis)]}.

    names, specs: of all inputs. used: names of those that the graph has.
    """
    scope = Scope({name: specs[places[0][0]].shape[places[0][1]] for name, places in axes.items()})
    lengths = {place: scope.length(name) for name, places in axes.items() for place in places}
    return scope, {name: Spec(tuple([lengths.get((number, axis), n) for axis, n in enumerate(spec.shape)]), spec.dtype)
                   for number, (name, spec) in enumerate(zip(names, specs, strict=True)) if name in used}
