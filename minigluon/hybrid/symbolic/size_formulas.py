"""Plans whose sizes are sums of products of symbolic dimensions, so that a new size costs only a few additions.

A backend whose programs run without Python takes an `AffinePlan`: the numbers for all kernels, the bytes of all buffers
and the shapes of all results, as sums over products of lengths (`ops/symbolic_dimensions.py`). It is valid for sizes
that satisfy the same conditions. The backend obtains the plan for a size by evaluating the sums. All sizes share their
blocks of memory, so a sequence that grows by one allocates nothing.
"""

from collections import deque

from ...backend import backend_for
from ...ops.symbolic_dimensions import Sums, has_symbolic_dim
from ..compiled_program import CompiledProgram
from ..layout import empty_block
from ..plan import Plan

__all__ = ["AffinePlan", "FullPlans", "SizedPlan"]

MAX_FULL = 8


class FullPlans:
    """Full plans, with views of all values and visible steps, for kernels that decline and for `explain`."""

    def __init__(self, layout, plan):
        self.layout, self.plan, self.pool, self._plans = layout, plan, deque(), {}
        self.backend = backend_for(plan.ctx)

    def plan_at(self, size):
        """Returns the Plan for a size, with buffers at the backend's offsets."""
        plan = self._plans.get(size.lengths)
        if plan is None:
            layout = self.layout.at(size.lengths)
            layout.sizes, layout.offsets, layout.block_size = size.layout()
            if len(self._plans) >= MAX_FULL:
                self._plans.clear()
            plan = self._plans[size.lengths] = layout.plan_like(self.plan)
        return plan

    def finish(self, size, is_backward, values, line):
        """Runs the rest of a part, starting at a line that the backend leaves to Python."""
        plan = self.plan_at(size)
        plan._layout.put_views(values, values[-1], self.backend)
        for _, _, members in plan._fresh_results:
            for slot, shape in members:
                values[slot] = values[slot].reshape(shape)
        (plan._backward if is_backward else plan._forward).finish(values, line)

    def new_block(self, size):
        """Returns memory for a run, up to a quarter more than needed, because later runs often need slightly more.
        """
        step = max(1 << max(size.block_size.bit_length() - 3, 0), 64)
        return empty_block(self.backend, -(-size.block_size // step) * step, self.plan.ctx,
                           lambda: self.plan_at(size).memory)


class AffinePlan:
    """The data of a SymbolicLayout with given kernels for a backend's `Program.sizes`.

    full_plans: the FullPlans of the graph. plan: a plan for one of the valid sizes. chosen: `Kernels.chosen` for each
    of the layout's distinct kernels.

    constants, terms: as in `Sums`: first the kernels' numbers, then from `first_buffer` the bytes of buffers, then from
    `first_result` the lengths of the results. allocated: the dtype, rank, and slots of each result, whose memory other
    steps view in other shapes.
    calls: [(start of its numbers, `write`)]. starts_forward, starts_backward: the start for each line, None
    for a line that is the same for all sizes.
    packing: [(index of a buffer, indices of those that end below it)]. places: {slot: index of its buffer}.
    sizes: the backend's object; `sizes.at(values)` is the `size` of a SizedPlan, or None if the plan is not valid for
    the values. template: a list of values whose last slot is empty, for the block. outer_count: the number of slots for
    inputs and head gradients.
    """

    def __init__(self, full_plans, plan, chosen):
        layout = full_plans.layout
        self.plan, self.pool = plan, full_plans.pool
        self.finish, self.new_block = full_plans.finish, full_plans.new_block
        self.full_plans, self.outer_count = full_plans, layout.inputs
        conditions, starts, numbers = dict(layout.scope.conditions), [], []
        self.calls = []
        for kernel, more in chosen:
            conditions.update(more)
            starts.append(None if kernel is None else len(numbers))
            if kernel is not None:
                self.calls.append((len(numbers), kernel.write))
                numbers += kernel.numbers
        self.starts_forward, self.starts_backward = (
            [starts[layout.kernels[position]] for position in part.positions]
            for part in (plan._forward, plan._backward))
        self.first_buffer = len(numbers)
        numbers += layout.bytes_of_buffers([kernel for kernel, _ in chosen])
        self.allocated, self.first_result = [], len(numbers)
        for _, dtype, members in layout.fresh(plan._result_pairs):
            shape, = [shape for slot, shape in members if slot in plan.results]
            self.allocated.append((dtype, len(shape), [slot for slot, _ in members]))
            numbers += shape
        self.gradients = []             # gradients with varying shapes: index, [(slot, start of its shape, its rank)]
        for number, (shape, _, members) in enumerate(layout.fresh(plan._gradient_pairs)):
            if has_symbolic_dim(shape):
                self.gradients.append((number, []))
                for slot, its_shape in members:
                    self.gradients[-1][1].append((slot, len(numbers), len(its_shape)))
                    numbers += its_shape
        sums = Sums(layout.scope.names, numbers, conditions)
        self.constants, self.terms, self.products = sums.constants, sums.terms, sums.products
        self.packing, self.places = layout.packing, layout.places_of_slots
        self.template = [*plan._layout.fixed_values(full_plans.backend), None]
        self.shared = {name: value for name, value in plan.__dict__.items() if name not in OWN}
        self.shared.update(pool=self.pool, _clear=self.pool.clear)
        self.backward = plan._backward.compiled
        self.sizes = plan._forward.compiled.sizes(self)

    @classmethod
    def at(cls, full_plans, values):
        """Returns the AffinePlan that is valid for these values. Returns None if runs need Python; plans are then
        created individually.
        """
        layout = full_plans.layout
        sized = layout.at(values)
        chosen = [kernels.chosen(values) for kernels in layout.distinct]
        if sized is None or None in chosen:
            return None
        plan = sized.plan_like(full_plans.plan)
        parts = plan._forward, plan._backward
        if any(not isinstance(part, CompiledProgram) or None in part.positions for part in parts):
            return None
        if any(position not in layout.kernels for part in parts for position in part.positions):
            return None
        affine_plan = cls(full_plans, plan, chosen)
        return None if affine_plan.sizes is None else affine_plan


OWN = "_forward", "_backward", "_layout", "_fresh_results", "_fresh_gradients", "_take", "_put", "compiled_call"


class SizedPlan(Plan):
    """A Plan that the backend runs. Everything that is the same for all sizes comes from its AffinePlan.

    Its own dictionary contains only what a call reads, because each new length creates a new object.
    """

    def __init__(self, affine_plan, size):
        self.affine_plan, self.size = affine_plan, size
        self.ctx, self.prepackers = affine_plan.plan.ctx, affine_plan.plan.prepackers
        self.compiled_call = size

    def __getattr__(self, name):
        try:
            return self.__dict__["affine_plan"].shared[name]
        except KeyError:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}") from None

    @property
    def _full(self):
        return self.affine_plan.full_plans.plan_at(self.size)

    @property
    def _layout(self):
        return self._full._layout

    @property
    def _backward(self):
        return self.size.backward

    @property
    def _fresh_gradients(self):
        rows = list(self.affine_plan.plan._fresh_gradients)
        for number, members in self.affine_plan.gradients:
            shaped = [(slot, self.size.shape(first, ndim)) for slot, first, ndim in members]
            rows[number] = shaped[0][1], rows[number][1], shaped
        return rows

    def take(self):
        return self.size.take()

    def give_back(self, values):
        self.size.give_back(values)

    def forward(self, values, buffers):
        return self.size.forward(values, buffers)

    def backward(self, values, head_grads, targets=None, keep=False):
        return super().backward(self.size.copied(values) if keep else values, head_grads, targets)

    def profile(self, buffers, head_grads=None, rounds=10):
        return self._full.profile(buffers, head_grads, rounds)
