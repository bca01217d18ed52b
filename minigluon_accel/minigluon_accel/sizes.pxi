# Plans with symbolic dimensions: everything that depends on these is a sum, evaluated for each size. Part of
# engine.pyx.

cdef struct Term:               # of a sum: `factor` times a product of lengths
    int position, product
    int64_t factor


cdef struct Patch:              # a phase whose numbers depend on the size: its number of parts, then its fields
    int phase, start


cdef class Sizes:
    """The plans of a graph for all sizes at which the same conditions hold; all their lines are Calls.

    affine_plan: a `minigluon.hybrid.symbolic.size_formulas.AffinePlan`, which is read here but not kept. Plans of all
    sizes share its pool of `values`:
    the last slot has a block of memory, in which each size has its own offsets.
    """
    cdef Program forward, backward
    cdef int64_t *constants             # constant terms of the sums: kernels' numbers, buffers' bytes, result shapes
    cdef Term *terms
    cdef Patch *patches                 # of the forward part, then of the backward part
    cdef int *places_forward            # see `Program.run_phases`
    cdef int *places_backward
    cdef int *order                     # of the buffers, the lowest first
    cdef int *first_below               # positions in `below`, for each buffer in that order
    cdef int *below                     # buffers that end before it begins
    cdef int *types                     # of the results that are allocated: type number, bytes of an element, rank
    cdef list slots_of_results          # of each: those that it has
    cdef list doubles                   # positions of numbers that a kernel takes as doubles
    cdef int count, term_count, forward_patches, patch_count, buffers, results, first_buffer, first_result
    cdef int input_count, outer_count, block_slot      # outer: inputs, and the gradients that arrive
    cdef list result_slots, outside, template
    cdef object products, take, put, new_block, finish, empty

    def __cinit__(self, Program forward, Program backward, affine_plan):
        self.forward, self.backward, self.products = forward, backward, affine_plan.products
        plan = affine_plan.plan
        self.take, self.put, self.new_block = affine_plan.pool.pop, affine_plan.pool.append, affine_plan.new_block
        self.finish, self.empty, self.template = affine_plan.finish, plan.empty, list(affine_plan.template)
        self.input_count, self.outer_count = plan.input_count, affine_plan.outer_count
        self.result_slots, self.outside = list(plan.results), list(plan.left_empty)
        self.block_slot = len(self.template) - 1
        self._take_numbers(affine_plan)
        self._take_lines(affine_plan)
        self._take_memory(affine_plan)
        self.results = len(affine_plan.allocated)
        self.types = <int *>_allocate(3 * self.results * sizeof(int))
        for index, (dtype, ndim, _) in enumerate(affine_plan.allocated):
            self.types[3 * index], self.types[3 * index + 1], self.types[3 * index + 2] = dtype.num, dtype.itemsize, ndim
        self.slots_of_results = [list(slots) for _, _, slots in affine_plan.allocated]

    def __dealloc__(self):
        for memory in (<size_t>self.constants, <size_t>self.terms, <size_t>self.patches, <size_t>self.places_forward,
                       <size_t>self.places_backward, <size_t>self.order, <size_t>self.first_below, <size_t>self.below,
                       <size_t>self.types):
            free(<void *><size_t>memory)

    cdef int _take_numbers(self, affine_plan) except -1:
        """Prepare the sums, and note which numbers of kernels are doubles."""
        cdef int index
        cdef Phase phase
        is_double = bytearray(len(affine_plan.constants))
        varying = {position for position, _, _ in affine_plan.terms}
        for start, call in affine_plan.calls:
            for phase in (<Call>call).phases:
                is_double[start:start + len(phase.is_double)] = phase.is_double
                start += len(phase.is_double)
        self.count, self.term_count = len(affine_plan.constants), len(affine_plan.terms)
        self.constants = <int64_t *>_allocate(self.count * 8)
        self.terms = <Term *>_allocate(self.term_count * sizeof(Term))
        self.doubles = [position for position in varying if is_double[position]]
        for index, number in enumerate(affine_plan.constants):
            if is_double[index] and index not in varying:
                (<double *>self.constants)[index] = number
            else:
                self.constants[index] = number
        for index, (position, product, factor) in enumerate(affine_plan.terms):
            self.terms[index] = Term(position, product, factor)
        return 0

    cdef int _take_lines(self, affine_plan) except -1:
        """Determine where each phase finds its numbers. starts: for each line, the index of its first number; None if
        the line has its own numbers."""
        cdef Phase phase
        cdef Program program
        patches = []
        for program, starts in ((self.forward, affine_plan.starts_forward), (self.backward, affine_plan.starts_backward)):
            self.forward_patches = len(patches)
            for line, start in enumerate(starts):
                index = program.first_phase[line]
                for phase in () if start is None else (<Call>program.kernels[line]).phases:
                    patches.append((index, start))
                    start += len(phase.is_double)
                    index += 1
        # The numbers of the forward part came first: those found before the second round began.
        self.patch_count = len(patches)
        self.patches = <Patch *>_allocate(len(patches) * sizeof(Patch))
        for number, (index, start) in enumerate(patches):
            self.patches[number] = Patch(index, start)
        return 0

    cdef int _take_memory(self, affine_plan) except -1:
        """The order of buffers in memory."""
        cdef int index = 0
        self.first_buffer, self.first_result, self.buffers = affine_plan.first_buffer, affine_plan.first_result, len(affine_plan.packing)
        self.places_forward = self._places(self.forward, affine_plan.places)
        self.places_backward = self._places(self.backward, affine_plan.places)
        self.order = <int *>_allocate(self.buffers * sizeof(int))
        self.first_below = <int *>_allocate((self.buffers + 1) * sizeof(int))
        self.below = <int *>_allocate(sum([len(below) for _, below in affine_plan.packing]) * sizeof(int))
        for number, (buffer, below) in enumerate(affine_plan.packing):
            self.order[number], self.first_below[number] = buffer, index
            for other in below:
                self.below[index] = other
                index += 1
        self.first_below[self.buffers] = index
        return 0

    cdef int *_places(self, Program program, places) except NULL:
        cdef int *slots = <int *>_allocate(program.used_count * sizeof(int))
        for number in range(program.used_count):
            slots[number] = places.get(program.used[number], -1)
        return slots

    def at(self, tuple lengths):
        """Return the Size for these lengths; None if the affine_plan is not valid for them, or its numbers are too
        large."""
        cdef Size size
        cdef Term *term
        cdef int index
        cdef int64_t value
        cdef tuple products
        try:
            products = self.products(*lengths)
        except ZeroDivisionError:
            return None
        if products is None:
            return None
        size = Size.__new__(Size)
        size.sizes, size.lengths = self, lengths
        size.numbers = <int64_t *>_allocate(
            8 * (self.count + self.buffers) + sizeof(Line) * (self.forward.phase_count + self.backward.phase_count))
        memcpy(size.numbers, self.constants, 8 * self.count)
        for index in range(self.term_count):
            term = &self.terms[index]
            try:
                value = products[term.product]
            except OverflowError:
                return None
            size.numbers[term.position] += term.factor * value
        for index in self.doubles:
            (<double *>size.numbers)[index] = <double>size.numbers[index]
        self._lay_out(size)
        return size if self._fill_lines(size) else None

    cdef void _lay_out(self, Size size) noexcept:
        """Each buffer begins where the highest one below it ends."""
        cdef const int64_t *bytes_of = size.numbers + self.first_buffer
        cdef int number, index
        cdef int64_t end, first
        size.offsets = size.numbers + self.count
        for number in range(self.buffers):
            first = 0
            for index in range(self.first_below[number], self.first_below[number + 1]):
                end = size.offsets[self.below[index]] + _in_lines(bytes_of[self.below[index]])
                if end > first:
                    first = end
            size.offsets[self.order[number]] = first
            end = first + _in_lines(bytes_of[self.order[number]])
            if end > size.block_size:
                size.block_size = end

    cdef bint _fill_lines(self, Size size) noexcept:
        """Set up the phases with the numbers of this size; return False if one has too many parts."""
        cdef int number
        cdef Line *line
        cdef Patch *patch
        size.forward_lines = <Line *>(size.offsets + self.buffers)
        size.backward_lines = size.forward_lines + self.forward.phase_count
        memcpy(size.forward_lines, self.forward.phases, sizeof(Line) * self.forward.phase_count)
        memcpy(size.backward_lines, self.backward.phases, sizeof(Line) * self.backward.phase_count)
        for number in range(self.patch_count):
            patch = &self.patches[number]
            line = size.forward_lines if number < self.forward_patches else size.backward_lines
            line[patch.phase].parts = size.numbers[patch.start]
            line[patch.phase].fields = size.numbers + patch.start + 1
            if not 0 <= size.numbers[patch.start] <= most_parts:
                return False
        return True


cdef int64_t most_parts = MAX_PARTS


cdef int64_t _in_lines(int64_t size) noexcept nogil:
    """Return bytes rounded up to a cache line, as in `hybrid/memory.py`."""
    return (size + 63) // 64 * 64


cdef class Size:
    """A plan at one size: `size(buffers)` -> results, or its steps one by one, as in `minigluon.hybrid.plan.Plan`."""
    cdef Sizes sizes
    cdef readonly tuple lengths
    cdef int64_t *numbers
    cdef int64_t *offsets
    cdef Line *forward_lines
    cdef Line *backward_lines
    cdef readonly int64_t block_size

    def __dealloc__(self):
        free(self.numbers)

    def shape(self, int first, int ndim):
        """Return a shape from the numbers."""
        return tuple([self.numbers[first + axis] for axis in range(ndim)])

    def layout(self):
        """(bytes of each buffer, offset of each, bytes of the block)."""
        cdef int first = self.sizes.first_buffer
        count = range(self.sizes.buffers)
        return [self.numbers[first + k] for k in count], [self.offsets[k] for k in count], self.block_size

    cpdef list take(self):
        """Return a `values` list for one run, with a block that is large enough."""
        cdef Sizes sizes = self.sizes
        cdef list values
        try:
            values = sizes.take()
            if cnp.PyArray_DIM(<cnp.ndarray>values[sizes.block_slot], 0) >= self.block_size:
                return values
        except IndexError:
            pass
        values = list(sizes.template)
        values[sizes.block_slot] = sizes.new_block(self)
        return values

    cpdef give_back(self, list values):
        """Give back a `values` list, which drops its references to inputs and results."""
        cdef Sizes sizes = self.sizes
        cdef int index
        for index in range(sizes.outer_count):
            values[index] = None
        for index in sizes.outside:
            values[index] = None
        sizes.put(values)

    def copied(self, list values):
        """Return the same values with their own block."""
        cdef list copied = list(values)
        cdef cnp.ndarray block = self.sizes.new_block(self), before = values[self.sizes.block_slot]
        memcpy(cnp.PyArray_DATA(block), cnp.PyArray_DATA(before), self.block_size)
        copied[self.sizes.block_slot] = block
        return copied

    cpdef list forward(self, list values, list buffers):
        """Run the forward part on the buffers of the variables; return new buffers with the results."""
        cdef Sizes sizes = self.sizes
        cdef int index
        for index in range(sizes.input_count):
            values[index] = buffers[index]
        self._allocate_results(values)
        self._run(sizes.forward, self.forward_lines, sizes.places_forward, values)
        return [values[index] for index in sizes.result_slots]

    def backward(self, list values):
        """Run the backward part. The gradients that arrive, and the targets of the others, are in `values`."""
        self._run(self.sizes.backward, self.backward_lines, self.sizes.places_backward, values)

    def __call__(self, list buffers):
        cdef list values = self.take()
        results = self.forward(values, buffers)
        self.give_back(values)
        return results

    cdef int _run(self, Program program, Line *lines, const int *places, list values) except -1:
        cdef char *block = <char *>cnp.PyArray_DATA(<cnp.ndarray>values[self.sizes.block_slot])
        cdef int line = program.run_phases(lines, values, 0, places, self.offsets, block)
        if line < program.count:
            self.sizes.finish(self, program is self.sizes.backward, values, line)
        return 0

    cdef int _allocate_results(self, list values) except -1:
        cdef Sizes sizes = self.sizes
        cdef cnp.npy_intp *shape = <cnp.npy_intp *>(self.numbers + sizes.first_result)
        cdef int index, axis, slot
        cdef int *type
        cdef size_t size
        for index in range(sizes.results):
            type = sizes.types + 3 * index
            size = type[1]
            for axis in range(type[2]):
                size *= shape[axis]
            try:
                array = _new_array(type[2], shape, type[0], size)
            except MemoryError:
                array = sizes.empty(tuple([shape[axis] for axis in range(type[2])]), cnp.PyArray_DescrFromType(type[0]))
            for slot in <list>sizes.slots_of_results[index]:
                values[<Py_ssize_t>slot] = array
            shape += type[2]
        return 0
