"""The layout of a graph whose lengths are names: made once, and read at each size.

`NamedLayout` divides the graph into steps and slots as `Layout` does, with Lengths for numbers. `at(values)` gives the
layout for one size. Steps, slots and what follows what in place are the same for all; kernels come from
`named_kernels.py`. Offsets belong to a class of sizes: each buffer is as large as the next power of two, so a sequence
that grows by one meets a new class seldom, and every size in a class fits.
"""

import math
from functools import cached_property

from ..backend import Spec
from ..ops.lengths import Formulas, has_length
from .layout import Layout, copied_values, empty_block, reshape_to
from .memory import Buffer, MemoryPlan, lay_out, stacked
from .named_kernels import Kernels

__all__ = ["NamedLayout"]

INSIDE = "value", "scratch"         # kinds of buffers in the block

MAX_CLASSES = 64


class NamedLayout(Layout):
    """scope: of the Lengths in `specs`. The rest is as in `Layout`."""

    def __init__(self, scope, graph, count, specs, variables, ctx, train):
        self.scope, self.example = scope, tuple(scope.values[name] for name in scope.names)
        self.kernels = {}               # position -> its number in `distinct`
        self.reshapes = {}              # position -> the shape
        self.distinct = []              # Kernels
        self._number_of = {}            # (op, specs) -> its number in `distinct`
        self._fresh = {}                # of `numbered`
        self._classes = {}              # sizes of all buffers -> offsets, size of the block
        super().__init__(graph, count, specs, variables, ctx, train)
        self._prepare_formulas()

    # -- what differs from a Layout with numbers ----------------------------------------------------------------------

    def _stand_in(self, spec):
        return spec if has_length(spec.shape) else super()._stand_in(spec)

    def _reshape(self, position, shape):
        self.reshapes[position] = shape
        return super()._reshape(position, shape)

    def _kernels(self, position, op, inputs, outputs):
        key = op, tuple(inputs), tuple(outputs)
        if key not in self._number_of:
            self._number_of[key] = len(self.distinct)
            self.distinct.append(Kernels(self.scope, op, self.ctx, inputs, outputs, self.train))
        self.kernels[position] = self._number_of[key]
        return self.distinct[self.kernels[position]].at(self.example)

    def _writer(self, position, op, inputs, outputs):
        made = self._kernels(position, op, inputs, outputs)
        if made.writes:
            return made.run, made.scratch
        del self.kernels[position]
        return None

    def _allocating(self, position, op, inputs, outputs):
        return self._kernels(position, op, inputs, outputs).run

    def _memory_plan(self):
        return None

    # -- sizes --------------------------------------------------------------------------------------------------------

    def _prepare_formulas(self):
        """Number the shapes and the buffers, so that a size is one evaluation and some lists."""
        self.storages = list(dict.fromkeys(self.storage_of.values()))
        self._inside = [s for s in self.storages if s.kind in INSIDE]
        number = {storage: index for index, storage in enumerate(self._inside)}
        shapes = {}                     # shape -> its number
        for spec in self.specs.values():
            shapes.setdefault(spec.shape, len(shapes))
        for shape in self.reshapes.values():
            shapes.setdefault(shape, len(shapes))
        self.number_of_shape = shapes
        scratch = {slot: (self.kernels[position], k) for position, step in enumerate(self.steps)
                   for k, slot in enumerate(step.scratch)}
        self.places = []                # (slot, number of the buffer, number of its shape, dtype), of scratch:
        self.scratch_places = []        # (slot, number of the buffer, number of its Kernels, which scratch)
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
        """[(number of a buffer, numbers of those right below it)], the lowest first, as the example has them."""
        sizes = self.at(self.example).sizes
        return stacked([self.buffer(storage, size) for storage, size in zip(self._inside, sizes, strict=True)])

    @property
    def places_of_slots(self):
        """{slot: number of its buffer}."""
        return {place[0]: place[1] for place in (*self.places, *self.scratch_places)}

    def bytes_of_buffers(self, kernels):
        """The bytes of each buffer, as Lengths. kernels: of the distinct ones; None: it is the same for all sizes."""
        found = list(self._bytes_of_values)
        for _, storage, distinct, number in self.scratch_places:
            kernel = kernels[distinct] or self.distinct[distinct].only
            shape, dtype = kernel.scratch[number]
            found[storage] = math.prod(shape) * dtype.itemsize
        return found

    def numbered(self, pairs):
        """`fresh` with the number of each shape."""
        key = tuple(pairs)
        if key not in self._fresh:
            number = self.number_of_shape
            self._fresh[key] = [(number[shape], dtype, [(slot, number[its_shape]) for slot, its_shape in members])
                                for shape, dtype, members in self.fresh(pairs)]
        return self._fresh[key]

    def at(self, values):
        """The layout for these values of the names; None where the graph or its steps would be others there."""
        found = self._formulas(*values)
        if found is None:
            return None
        made = [kernels.at(values) for kernels in self.distinct]
        if [_pattern(m) for m in made] != self._patterns:
            return None
        shapes, sizes = found
        sizes = list(sizes)
        for _, storage, kernels, number in self.scratch_places:
            shape, dtype = made[kernels].scratch[number]
            sizes[storage] = math.prod(shape) * dtype.itemsize
        return SizedLayout(self, shapes, made, sizes, *self._offsets(sizes))

    def _offsets(self, sizes):
        """Offsets of the buffers and the size of the block, the same for all sizes up to the next powers of two."""
        key = tuple([1 << (size - 1).bit_length() if size > 1 else size for size in sizes])
        if key not in self._classes:
            if len(self._classes) >= MAX_CLASSES:
                self._classes.clear()
            buffers = [self.buffer(storage, size) for storage, size in zip(self._inside, key, strict=True)]
            self._classes[key] = lay_out(buffers), [buffer.offset for buffer in buffers]
        return self._classes[key]

    def buffer(self, storage, size, offset=None):
        """A storage as a Buffer of that many bytes."""
        name, *others = [name for _, _, name in storage.members]
        return Buffer(name, size, storage.first, min(storage.last, len(self.steps) - 1), storage.kind, offset,
                      tuple(others))


class SizedLayout:
    """A NamedLayout for one size: what a plan asks of its layout. made: the Made of each of its `distinct`.

    shapes: in the order of its shapes. sizes, offsets: of its buffers.
    """

    def __init__(self, named, shapes, made, sizes, block_size, offsets):
        self.named, self.shapes, self.sizes = named, shapes, sizes
        self.slot_of, self.inputs = named.slot_of, named.inputs
        self.block_size, self.offsets, self.made = block_size, offsets, made
        # What runs at each step: a step that is the same for all sizes keeps its kernel.
        self.kernels = [kernel if number is None else made[number].run for number, kernel in named.kernels_of_steps]
        for position, shape in named.reshapes.items():
            self.kernels[position] = reshape_to(self.shape(shape))
        self.took_block = _ignore       # told of each block, by whom bounds their memory

    def shape(self, shape):
        """A shape of the NamedLayout, in numbers."""
        return self.shapes[self.named.number_of_shape[shape]]

    @cached_property
    def steps(self):
        """As in `Layout`."""
        return [step._replace(kernel=kernel) for step, kernel in zip(self.named.steps, self.kernels, strict=True)]

    @cached_property
    def memory(self):
        """As in `Layout`."""
        named, offsets = self.named, iter(zip(self.sizes, self.offsets, strict=True))
        buffers = []
        for storage in named.storages:
            if storage.kind in INSIDE:
                buffers.append(named.buffer(storage, *next(offsets)))
            else:
                buffers.append(named.buffer(storage, self._bytes(storage.spec)))
        buffers += [Buffer(f"constant {slot}", array.nbytes, 0, len(named.steps) - 1, "constant")
                    for slot, array in named.fixed.items() if not isinstance(array, Spec) and array.base is None]
        naive = sum(self.sizes)
        return MemoryPlan(buffers, self.block_size, naive, len(named.steps))

    def _bytes(self, spec):
        return math.prod(self.shape(spec.shape) if has_length(spec.shape) else spec.shape) * spec.dtype.itemsize

    def new_values(self, backend):
        """As in `Layout`."""
        values = self.fixed_values(backend)
        self.took_block()
        block = empty_block(backend, self.block_size, self.named.ctx, lambda: self.memory)
        self._put_views_of_block(values, block, backend)
        return values

    def fixed_values(self, backend):
        """A list of values with what is the same for each run."""
        values = [None] * len(self.slot_of)
        for slot, array in self.named.fixed.items():
            values[slot] = self._stand_in(array, backend) if isinstance(array, Spec) else array
        return values

    def put_views(self, values, block, backend):
        """Put all into `values` that depends on the size: views of the block, and what stands for an array."""
        for slot, array in self.named.fixed.items():
            if isinstance(array, Spec):
                values[slot] = self._stand_in(array, backend)
        self._put_views_of_block(values, block, backend)

    def _stand_in(self, spec, backend):
        return backend.view(None, 0, self.shape(spec.shape), spec.dtype)

    def _put_views_of_block(self, values, block, backend):
        named, offsets = self.named, self.offsets
        backend.views(block, values, named.places, offsets, self.shapes)
        for slot, storage, kernels, number in named.scratch_places:
            values[slot] = backend.view(block, offsets[storage], *self.made[kernels].scratch[number])

    def copy_values(self, values, backend):
        """As in `Layout`."""
        return copied_values(self.new_values(backend), values, self.named)

    @property
    def storage_of(self):
        """As in `Layout`."""
        return self.named.storage_of

    def outside(self):
        """As in `Layout`."""
        return self.named.outside()

    def dying_at(self, position):
        """As in `Layout`."""
        return self.named.dying_at(position)

    def fresh(self, pairs):
        """As in `Layout`."""
        shapes = self.shapes
        return [(shapes[shape], dtype, [(slot, shapes[its_shape]) for slot, its_shape in members])
                for shape, dtype, members in self.named.numbered(pairs)]

    def specs_of(self, pairs):
        """As in `Layout`."""
        return [Spec(self.shape(spec.shape), spec.dtype) for spec in self.named.specs_of(pairs)]


def _ignore():
    """What nobody is told."""


def _pattern(made):
    """What of a kernel decides how steps and slots are."""
    return made.writes, len(made.scratch), getattr(made.run, "runs_in_programs", False)
