"""One plan for all shapes: a graph's signatures that differ only in lengths share the result of the passes.

The first shape is compiled with its actual numbers. At the second, the lengths that differ are named N, L, M and so on,
and the passes run again with symbolic dimensions for these lengths (`ops/symbolic_dimensions.py`). After that, the plan
for a new shape is derived from the result: the conditions are checked, the numbers are inserted, and the kernels come
from `symbolic_kernels.py`.

If a condition fails, another variant is created. In some programs the graph itself depends on the shapes: a `foreach`
is unrolled for its length. Such programs have one plan per shape, and the ShapeFamily records the reason.
"""

import threading
from collections import deque
from functools import partial

from ...backend import Spec, backend_for
from ...base import MXNetError
from ...ops.symbolic_dimensions import LEAST, ConcreteSizeError, Scope
from ..collector import collector_paused
from ..compiler import PASSES
from ..draft import Draft, run_passes
from ..plan import Plan
from ..registered_passes import passes_for
from ..runners import PlannedRunner
from ..specs import has_control_flow
from ..unroll import unrolled
from .size_formulas import AffinePlan, FullPlans
from .sized_runner import ExampleRunner
from .symbolic_layout import SymbolicLayout

__all__ = ["ShapeFamily", "SharedPlans", "SymbolicPlan", "with_names"]

NAMES = "NLMKPQRSTUVW"
MAX_FAMILIES = 256
MAX_VARIANTS = 6
MAX_AFFINE_PLANS = 12                  # the maximum number of plans whose conditions are checked, in order
MOST_AFFINE_PLANS = 64          # the maximum; if almost every size needs its own plan, plans are not worth creating
SEEN = 8                        # the number of shapes kept to find lengths that are always equal
IDLE_BYTES = 2 ** 26            # the total size in bytes of the blocks kept for the next call of the same size
MAX_BLOCKS = 64


class SymbolicPlan:
    """Plans for all sizes of one graph: its `affine_plans`, and `runner_at(values, runner)` if none of them is valid.

    draft: the result of the passes, with the scope's SymbolicDims.
    """

    def __init__(self, scope, draft, ctx, train):
        self.blocks = MemoryPools()     # a family sets its own pools, which its variants share
        self.scope, self.graph, self.specs, self.indices = scope, draft.graph, draft.specs, draft.indices or []
        self.layout = SymbolicLayout(scope, draft.graph, draft.results, draft.specs, [*draft.inputs, *draft.heads],
                                     ctx, train)
        self.affine_plans_left = MOST_AFFINE_PLANS
        self.affine_plans = []          # most recently used first
        self.plan = Plan(draft.graph, draft.results, draft.specs, draft.inputs, draft.heads, ctx, train,
                          layout=self.layout.at(self.layout.example), prepackers=draft.prepackers)
        self.full_plans = FullPlans(self.layout, self.plan)

    @classmethod
    @collector_paused()
    def make(cls, scope, symbol, input_specs, variables, ctx, train, grad_names, recomputed, packing=None, steps=None,
             passes=PASSES):
        """Runs the passes; returns None if the graph cannot have a plan.

        Raises MXNetError and other errors if a number is needed in place of a SymbolicDim.
        """
        draft = run_passes(Draft(symbol, {}, input_specs, variables, ctx, train, grad_names, recomputed, steps,
                                 *(packing or ()), rest=passes))
        plan = None if draft.graph is None else cls(scope, draft, ctx, train)
        if scope.needed is not None:
            raise MXNetError(scope.needed)
        return plan

    def runner_at(self, values, runner):
        """Returns the runner for these values, derived from the example's runner; None if the graph would differ."""
        layout = self.layout.at(values)
        if layout is None:
            return None
        if self.affine_plans_left:
            self.affine_plans_left -= 1
            affine_plan = AffinePlan.at(self.full_plans, values)
            self.affine_plans_left = self.affine_plans_left if affine_plan else 0
            size = None if affine_plan is None else affine_plan.sizes.at(values)
            if size is not None:
                self.affine_plans = [affine_plan, *self.affine_plans[:MAX_AFFINE_PLANS - 1]]
                return runner.at(affine_plan, size)
        plan = layout.plan_like(self.plan)
        layout.took_block = partial(self.blocks.add, plan.pool, layout.block_size)
        return runner.like(plan)


class MemoryPools:
    """The memory that plans for many sizes keep for their next calls, up to a limit. The oldest is freed first."""

    def __init__(self):
        self._late, self._bytes, self._lock = deque(), 0, threading.Lock()

    def add(self, pool, size):
        """Records that a plan with this pool has allocated a block of this many bytes."""
        with self._lock:
            self._late.append((pool, size))
            self._bytes += size
            while len(self._late) > 1 and (self._bytes > IDLE_BYTES or len(self._late) > MAX_BLOCKS):
                pool, size = self._late.popleft()
                pool.clear()
                self._bytes -= size


class SharedPlans:
    """The plans shared by signatures with the same parameters that differ only in lengths."""

    def __init__(self):
        self.families, self.variants = {}, []       # {kind of a signature: ShapeFamily}, the variants of all families

    def runner_at(self, signature):
        """Returns the runner of a plan that is valid for this signature; None if there is none."""
        for variant in self.variants:
            runner = variant.runner_at(signature)
            if runner is not None:
                return runner
        return None

    def new_runner(self, op, signature, kind, all_shapes, input_specs, ctx, grad_names, packing):
        """Returns the runner of a new plan with symbolic dimensions, or None; called by `lengths.planned_runner`.

        kind: the signature's kind. all_shapes: the shapes of the first signature of this kind and of this signature.
        """
        first_shapes, shapes = all_shapes
        family = self._family(op, kind, first_shapes, ctx)
        with family.lock:
            axes = family.names_for(shapes)
            if axes is None:
                return None
            data = [Spec(shape, dtype) for shape, dtype, _ in signature.data]
            scope, symbolic = with_names(axes, op.inputs[:len(data)], data, input_specs)
            input_specs = {**input_specs, **symbolic}
            try:
                graph = unrolled(op.symbol, input_specs)
                if has_control_flow(graph):
                    raise ConcreteSizeError("the graph has loops or branches")
                symbolic_plan = SymbolicPlan.make(scope, graph, input_specs, op.inputs, ctx, signature.training,
                                                  grad_names, bool(op.flags.get("recompute")), packing,
                                                  passes=passes_for(op.flags))
            except (MXNetError, ArithmeticError, LookupError, TypeError, ValueError) as error:
                return family.give_up(str(error))
            if symbolic_plan is None:
                return family.give_up("the shape of a result depends on values")
            runner = PlannedRunner(op, graph, symbolic_plan.plan, grad_names, symbolic_plan.indices)
            return family.add(symbolic_plan, ExampleRunner(runner), axes, signature)

    def _family(self, op, kind, first_shapes, ctx):
        family = self.families.get(kind)
        if family is None:
            if len(self.families) >= MAX_FAMILIES:
                self.families.clear()
            family = self.families[kind] = ShapeFamily(backend_for(ctx).supports_symbolic_dims, self.variants)
            family.seen.append(first_shapes)
            if op.flags.get("memory") is not None:
                family.reason = "hybridize(memory=...) lays out the plans of each shape to choose one"
        return family

    def lines(self, names):
        """Returns lines of text that say which shapes share a plan, and why the other shapes do not."""
        return [line for family in list(self.families.values()) for line in family.shapes(names)]


class ShapeFamily:
    """The plans of one graph for inputs with the same ranks and types.

    supports_symbolic_dims: the backend's attribute. all_variants: the variants of all families for the same parameters,
    to which this family adds its own. reason: why there is one plan per shape, or None.
    """

    def __init__(self, supports_symbolic_dims, all_variants):
        self.lock, self.blocks, self.all_variants = threading.Lock(), MemoryPools(), all_variants
        self.seen = deque(maxlen=SEEN)
        self.variants = []
        self.reason = None if supports_symbolic_dims else "the device's backend makes a plan for each shape"

    def shapes(self, names):
        """Returns lines of text that say which shapes share a plan, or why each has its own. names: the inputs' names.
        """
        lines = [f"one plan for {variant.shapes_text(names)}" for variant in self.variants]
        if self.reason is not None and len(self.seen) > 1:
            lines.append(f"a plan for each shape: {self.reason}")
        return lines

    def names_for(self, shapes):
        """Returns {name: [(input, axis)]}: the lengths that have changed since the first shapes. Lengths that are
        always equal share a name. Returns None before the second shape or if there are too many variants.
        """
        self.seen.append(shapes)
        if self.reason is not None or len(self.seen) < 2:
            return None
        if len(self.variants) >= MAX_VARIANTS:
            self.reason = "the graph is another one for almost each shape"
            return None
        columns = {}                    # a length's values in all shapes seen so far -> its positions
        for number, lengths in enumerate(zip(*self.seen, strict=True)):     # of one input
            for axis, column in enumerate(zip(*lengths, strict=True)):
                if len(set(column)) > 1:
                    columns.setdefault(column, []).append((number, axis))
        if not columns or len(columns) > len(NAMES) or any(column[-1] < LEAST for column in columns):
            return None
        return dict(zip(NAMES, columns.values(), strict=False))

    def give_up(self, reason):
        """Uses a separate plan for each shape from now on."""
        self.reason = reason

    def add(self, symbolic_plan, runner, axes, key):
        """Stores a variant, and returns the runner for the current call, which has this key."""
        symbolic_plan.blocks = self.blocks
        variant = Specialization(symbolic_plan, runner, axes, self.seen[-1], key)
        self.variants.insert(0, variant)
        self.all_variants.insert(0, variant)
        return variant.runner_at(key)


class Specialization:
    """A SymbolicPlan with the runner for its example.

    axes: {name: [(input, axis)]}. shapes, key: the example's shapes and key (see `_reader`).
    """

    def __init__(self, symbolic_plan, runner, axes, shapes, key):
        self.symbolic_plan, self.runner, self.axes, self.shapes = symbolic_plan, runner, axes, shapes
        self.values_of = _reader(key, axes)

    def shapes_text(self, names):
        """Returns the inputs as text, such as 'data N × 8'."""
        named = {place: name for name, places in self.axes.items() for place in places}
        return ", ".join(" ".join([name, " × ".join(str(named.get((number, axis), n)) for axis, n in enumerate(shape))])
                         for number, (name, shape) in enumerate(zip(names, self.shapes, strict=False)))

    def runner_at(self, key):
        """Returns the runner for a call with this key; None if this variant does not fit."""
        values = self.values_of(key)
        if values is None:
            return None
        for affine_plan in self.symbolic_plan.affine_plans:
            size = affine_plan.sizes.at(values)
            if size is not None:
                return self.runner.at(affine_plan, size)
        return self.symbolic_plan.runner_at(values, self.runner)


def _reader(key, axes):
    """Returns a function that reads the values of the names from a key like this one; None if anything else differs.

    key: two items and then the shape, dtype and device of each input, all in a row, as in a `Signature`. axes: {name:
    [(input, axis)]}.
    """
    names = {f"key[{2 + 3 * number}][{axis}]": name for name, places in axes.items() for number, axis in places}
    firsts, tests, leaves = {}, [], {}

    def walk(part, text):
        if text in names:
            first = firsts.setdefault(names[text], text)
            tests.append(f"{text} >= {LEAST}" if first == text else f"{text} == {first}")
        elif isinstance(part, tuple) and any(name.startswith(text) for name in names):
            tests.append(f"len({text}) == {len(part)}")
            for index, item in enumerate(part):
                walk(item, f"{text}[{index}]")
        else:
            name = f"leaf{len(leaves)}"
            tests.append(f"({text} is {name} or {text} == {name})")     # devices and dtypes are usually identical
            leaves[name] = part
    walk(key, "key")
    values = "".join(f"{firsts[name]}, " for name in axes)
    return eval(f"lambda key: ({values}) if {' and '.join(tests)} else None", leaves)


def with_names(axes, names, specs, used):
    """Returns (Scope, {variable: Spec}) with SymbolicDims for the named axes, in the order of `axes`: {name: [(input,
    axis)]}.

    names, specs: the names and Specs of all inputs. used: the names of the inputs that the graph uses.
    """
    scope = Scope({name: specs[places[0][0]].shape[places[0][1]] for name, places in axes.items()})
    lengths = {place: scope.length(name) for name, places in axes.items() for place in places}
    return scope, {name: Spec(tuple([lengths.get((number, axis), n) for axis, n in enumerate(spec.shape)]), spec.dtype)
                   for number, (name, spec) in enumerate(zip(names, specs, strict=True)) if name in used}
