"""The layout of a graph with symbolic dimensions, created once and evaluated for each size.

`SymbolicLayout` divides the graph into steps and slots as `Layout` does, but with SymbolicDims. `at(values)`
returns the layout for one size. Steps, slots and the order of buffers are the same for all sizes; kernels come from
`symbolic_kernels.py`. Offsets are the same for a class of sizes: each buffer is rounded up to a power of two, so that
every size in the class fits, and a sequence that grows by one rarely needs a new class.
"""

import math
from copy import copy
from functools import cached_property

import numpy as np

from ...backend import Spec
from ...ops.symbolic_dimensions import Formulas, has_symbolic_dim
from ..allocating_kernels import allocating
from ..compiled_program import CompiledProgram
from ..layout import Layout, empty_block, reshape_to, write_view
from ..memory import Buffer, MemoryPlan, assign_offsets
from ..retained_values import copied_values
from .symbolic_kernels import KernelBySize

__all__ = ["SymbolicLayout", "placement_order"]

INSIDE = "value", "scratch"         # kinds of buffers in the block

MAX_CLASSES = 64


class SymbolicLayout(Layout):
    """A Layout whose `specs` contain SymbolicDims of this scope. The kernels to run are those for the example.

    distinct: a KernelBySize for each operator and Specs. kernels: {position of a step: the index of its kernel in
    `distinct`}. reshapes: {position: the shape of a view created when the step runs}.
    """

    def __init__(self, scope, graph, count, specs, variables, ctx, train):
        self.scope, self.example = scope, tuple(scope.values[name] for name in scope.names)
        self.distinct, self._index_of = [], {}      # (op, specs) -> its index in `distinct`
        super().__init__(graph, count, specs, variables, ctx, train)
        self._fresh = {}                # {results: the result of `numbered`}
        self._classes = {}              # sizes of all buffers -> offsets, and the size of the block
        self._find_kernels()
        self._prepare_formulas()

    def _prepared(self, op, inputs, outputs):
        key = op, tuple(inputs), tuple(outputs)
        if key not in self._index_of:
            self._index_of[key] = len(self.distinct)
            self.distinct.append(KernelBySize(self.scope, op, self.ctx, inputs, outputs, self.train))
        return self.distinct[self._index_of[key]].at(self.example)

    def _writer(self, op, inputs, outputs):
        kernel = self._prepared(op, inputs, outputs)
        return (kernel.run, kernel.scratch) if kernel.writes else None

    def _allocating(self, op, inputs, outputs):
        return self._prepared(op, inputs, outputs).run

    def _stand_in(self, spec):
        return spec if has_symbolic_dim(spec.shape) else super()._stand_in(spec)

    def _find_kernels(self):
        self.kernels, self.reshapes = {}, {}
        for position, step in enumerate(self.steps):
            outputs = [(step.node, i) for i in range(step.op.num_outputs)]
            if step.kernel is None or step.kernel is write_view:
                continue
            if step.op.is_view and outputs[0] not in self.heads:
                self.reshapes[position] = self.specs[outputs[0]].shape
            else:
                key = step.op, tuple(self.specs_of(step.node.inputs)), tuple(self.specs_of(outputs))
                self.kernels[position] = self._index_of[key]

    # -- sizes --------------------------------------------------------------------------------------------------------

    def _prepare_formulas(self):
        """Indexes the shapes and buffers, so that each size requires only one evaluation and a few lists."""
        self._inside = [s for s in self.storages if s.kind in INSIDE]
        number = {storage: index for index, storage in enumerate(self._inside)}
        shapes = {}                     # shape -> its index
        for spec in self.specs.values():
            shapes.setdefault(spec.shape, len(shapes))
        for shape in self.reshapes.values():
            shapes.setdefault(shape, len(shapes))
        self.number_of_shape = shapes
        scratch = {slot: (self.kernels[position], k) for position, step in enumerate(self.steps)
                   for k, slot in enumerate(step.scratch)}
        self.places = []                # (slot, index of the buffer, index of its shape, dtype), for scratch:
        self.scratch_places = []        # (slot, index of the buffer, index of its Kernels, index of the scratch)
        sizes = [0] * len(self._inside)
        for storage in self._inside:
            for slot, spec, _ in storage.members:
                if slot in scratch:
                    self.scratch_places.append((slot, number[storage], *scratch[slot]))
                else:
                    self.places.append((slot, number[storage], shapes[spec.shape], spec.dtype))
                    sizes[number[storage]] = storage.size
        self._bytes_of_values = sizes
        self._formulas = Formulas(self.scope.names, [tuple(shapes), tuple(sizes)], self.scope.conditions)
        self.kernels_of_steps = [(self.kernels.get(position), step.kernel) for position, step in enumerate(self.steps)]
        self._patterns = [_pattern(kernels.at(self.example)) for kernels in self.distinct]

    @cached_property
    def packing(self):
        """Returns [(index of a buffer, indices of those directly below it)], lowest first, as in the example."""
        sizes = self.at(self.example).sizes
        return placement_order([storage.as_buffer(len(self.steps), size)
                                for storage, size in zip(self._inside, sizes, strict=True)])

    @property
    def places_of_slots(self):
        """Returns {slot: index of its buffer}."""
        return {place[0]: place[1] for place in (*self.places, *self.scratch_places)}

    def bytes_of_buffers(self, kernels):
        """Returns the bytes of each buffer as SymbolicDims. kernels: the distinct kernels; None if a kernel is the same
        for all sizes. """
        sizes = list(self._bytes_of_values)
        for _, storage, distinct, number in self.scratch_places:
            kernel = kernels[distinct] or self.distinct[distinct].only
            shape, dtype = kernel.scratch[number]
            sizes[storage] = math.prod(shape) * dtype.itemsize
        return sizes

    def numbered(self, pairs):
        """Returns the result of `fresh` with each shape replaced by its index."""
        key = tuple(pairs)
        if key not in self._fresh:
            number = self.number_of_shape
            self._fresh[key] = [(number[shape], dtype, [(slot, number[its_shape]) for slot, its_shape in members])
                                for shape, dtype, members in self.fresh(pairs)]
        return self._fresh[key]

    def at(self, values):
        """Returns the layout for these values of the names; None if the graph or its steps would differ."""
        evaluated = self._formulas(*values)
        if evaluated is None:
            return None
        sized_kernels = [kernels.at(values) for kernels in self.distinct]
        if [_pattern(m) for m in sized_kernels] != self._patterns:
            return None
        shapes, sizes = evaluated
        sizes = list(sizes)
        for _, storage, kernels, number in self.scratch_places:
            shape, dtype = sized_kernels[kernels].scratch[number]
            sizes[storage] = math.prod(shape) * dtype.itemsize
        return SizedLayout(self, shapes, sized_kernels, sizes, *self._offsets(sizes))

    def _offsets(self, sizes):
        """Returns the buffers' offsets and the size of the block, which are the same for all sizes up to the next
        powers of two."""
        key = tuple([1 << (size - 1).bit_length() if size > 1 else size for size in sizes])
        if key not in self._classes:
            if len(self._classes) >= MAX_CLASSES:
                self._classes.clear()
            buffers = [storage.as_buffer(len(self.steps), size)
                       for storage, size in zip(self._inside, key, strict=True)]
            self._classes[key] = assign_offsets(buffers), [buffer.offset for buffer in buffers]
        return self._classes[key]


class SizedLayout:
    """A SymbolicLayout for one size, with a layout's interface to a plan. kernels: one for each item in its
    `distinct`.

    shapes: in the SymbolicLayout's order. sizes, offsets: the sizes and offsets of its buffers.
    """

    def __init__(self, symbolic, shapes, kernels, sizes, block_size, offsets):
        self.symbolic, self.shapes, self.sizes = symbolic, shapes, sizes
        self.slot_of, self.inputs = symbolic.slot_of, symbolic.inputs
        self.block_size, self.offsets, self.made = block_size, offsets, kernels
        # The kernels of the steps: a step that is the same for all sizes keeps its kernel.
        self.kernels = [kernel if number is None else kernels[number].run
                        for number, kernel in symbolic.kernels_of_steps]
        for position, shape in symbolic.reshapes.items():
            self.kernels[position] = reshape_to(self.shape(shape))
        self.took_block = _ignore       # called for each block, set by the owner of the memory limit

    def plan_like(self, plan):
        """Returns the Plan for this size, derived from the plan for another size."""
        sized = copy(plan)
        sized._forward, sized._backward = self._program(plan._forward), self._program(plan._backward)
        sized.take_sizes(self)
        return sized

    def _program(self, program):
        """Returns the same lines with this size's kernels."""
        kernels = self.kernels
        lines = []
        for line, step, position in zip(program.lines, program.steps, program.positions, strict=True):
            if position is not None:
                kernel = kernels[position]
                line = kernel if step.writes else allocating(step._replace(kernel=kernel)), *line[1:]
            lines.append(line)
        if isinstance(program, CompiledProgram):
            return program.with_kernels(lines, kernels)
        sized = copy(program)
        sized.lines = lines
        return sized

    def shape(self, shape):
        """Returns a shape of the SymbolicLayout as numbers."""
        return self.shapes[self.symbolic.number_of_shape[shape]]

    @cached_property
    def steps(self):
        """As in `Layout`."""
        return [step._replace(kernel=kernel) for step, kernel in zip(self.symbolic.steps, self.kernels, strict=True)]

    @cached_property
    def memory(self):
        """As in `Layout`."""
        symbolic, offsets = self.symbolic, iter(zip(self.sizes, self.offsets, strict=True))
        buffers, steps = [], len(symbolic.steps)
        for storage in symbolic.storages:
            if storage.kind in INSIDE:
                buffers.append(storage.as_buffer(steps, *next(offsets)))
            else:
                buffers.append(storage.as_buffer(steps, self._bytes(storage.spec)))
        buffers += [Buffer(f"constant {slot}", array.nbytes, 0, steps - 1, "constant")
                    for slot, array in symbolic.fixed.items() if not isinstance(array, Spec) and array.base is None]
        naive = sum(self.sizes)
        return MemoryPlan(buffers, self.block_size, naive, steps)

    def _bytes(self, spec):
        return math.prod(self.shape(spec.shape) if has_symbolic_dim(spec.shape) else spec.shape) * spec.dtype.itemsize

    def new_values(self, backend):
        """As in `Layout`."""
        values = self.fixed_values(backend)
        self.took_block()
        block = empty_block(backend, self.block_size, self.symbolic.ctx, lambda: self.memory)
        self._put_views_of_block(values, block, backend)
        return values

    def fixed_values(self, backend):
        """Returns a `values` list with the values that are the same for each run."""
        values = [None] * len(self.slot_of)
        for slot, array in self.symbolic.fixed.items():
            values[slot] = self._stand_in(array, backend) if isinstance(array, Spec) else array
        return values

    def put_views(self, values, block, backend):
        """Stores everything that depends on the size in `values`: views of the block, and stand-ins for arrays."""
        for slot, array in self.symbolic.fixed.items():
            if isinstance(array, Spec):
                values[slot] = self._stand_in(array, backend)
        self._put_views_of_block(values, block, backend)

    def _stand_in(self, spec, backend):
        return backend.view(None, 0, self.shape(spec.shape), spec.dtype)

    def _put_views_of_block(self, values, block, backend):
        symbolic, offsets = self.symbolic, self.offsets
        backend.views(block, values, symbolic.places, offsets, self.shapes)
        for slot, storage, kernels, number in symbolic.scratch_places:
            values[slot] = backend.view(block, offsets[storage], *self.made[kernels].scratch[number])

    def copy_values(self, values, backend):
        """As in `Layout`."""
        return copied_values(self.new_values(backend), values, self.symbolic)

    @property
    def storage_of(self):
        """As in `Layout`."""
        return self.symbolic.storage_of

    def outside(self):
        """As in `Layout`."""
        return self.symbolic.outside()

    def last_used_at(self, position):
        """As in `Layout`."""
        return self.symbolic.last_used_at(position)

    def fresh(self, pairs):
        """As in `Layout`."""
        shapes = self.shapes
        return [(shapes[shape], dtype, [(slot, shapes[its_shape]) for slot, its_shape in members])
                for shape, dtype, members in self.symbolic.numbered(pairs)]

    def specs_of(self, pairs):
        """As in `Layout`."""
        return [Spec(self.shape(spec.shape), spec.dtype) for spec in self.symbolic.specs_of(pairs)]


def _ignore():
    """Has no effect."""


def _pattern(kernel):
    """Returns the properties of a kernel that determine steps and slots."""
    return kernel.writes, len(kernel.scratch), getattr(kernel.run, "runs_in_programs", False)


def placement_order(buffers):
    """Returns [(index of a buffer, indices of those directly below it)], lowest first, as placed by `assign_offsets`.

    In this order and for any sizes, each buffer fits after the end of the highest one below it: if two are alive at
    the same time, one is below the other.
    """
    assign_offsets(buffers)
    order, highest = [], np.full(max([b.last for b in buffers], default=0) + 1, -1)     # the live buffers of each step
    for number in sorted(range(len(buffers)), key=lambda number: buffers[number].offset):
        steps = highest[buffers[number].first:buffers[number].last + 1]
        order.append((number, sorted({*steps.tolist()} - {-1})))
        steps[:] = number
    return order
