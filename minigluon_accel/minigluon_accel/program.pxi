# Plans: their lines as a program, and a whole run as one call. Part of engine.pyx.

cdef class Program:
    """Lines of a plan. `program.run(values, start)` runs them from line `start` on.

    lines: [(kernel, slots of its operands in `values`)]. Lines whose kernel is a Call run in order without Python, up
    to a line that has a different kernel or whose kernel refuses. `run` returns the index of that line, for Python to
    run it, and len(lines) at the end. aliases: {slot: slot}, for values that are reshaped views of others.
    """
    cdef Line *phases
    cdef int *line_of               # of each phase
    cdef int *first_phase           # of each line, and after the last
    cdef int *slots                 # operands of all lines
    cdef int *first_slot            # of each line, and after the last
    cdef int *used                  # all slots that occur, each once
    cdef int used_count, value_count, most_operands, phase_count
    cdef readonly int count         # of lines
    cdef list kernels               # keeps the phases' memory alive
    cdef bytes is_call
    cdef Program model              # of `like`, which uses the same slots
    cdef bint has_slots

    def __cinit__(self, lines, aliases, value_count, Program model=None):
        self.value_count, self.count = value_count, len(lines)
        self.kernels = [kernel for kernel, _ in lines] if model is None else list(lines)
        self.is_call = bytes([isinstance(kernel, Call) for kernel in self.kernels])
        self._take_phases()
        if model is None:
            self.has_slots = True
            self._take_slots([slots for _, slots in lines], aliases)
            return
        self.model = model
        self.slots, self.first_slot, self.used = model.slots, model.first_slot, model.used
        self.used_count, self.most_operands = model.used_count, model.most_operands

    def like(self, list kernels):
        """Return the same lines with other kernels, which are Calls where these are."""
        return Program(kernels, None, self.value_count, self)

    def sizes(self, form):
        """See `minigluon.backend.contract.Program`."""
        cdef Program backward = form.backward
        return None if 0 in self.is_call or 0 in backward.is_call else Sizes(self, backward, form)

    cdef int _take_phases(self) except -1:
        cdef Phase phase
        cdef int index = 0, number
        phases = sum([len((<Call>kernel).phases) for kernel in self.kernels if isinstance(kernel, Call)])
        self.phase_count = phases
        self.phases = <Line *>_allocate(phases * sizeof(Line))
        self.line_of = <int *>_allocate(phases * sizeof(int))
        self.first_phase = <int *>_allocate((self.count + 1) * sizeof(int))
        for number, kernel in enumerate(self.kernels):
            self.first_phase[number] = index
            if isinstance(kernel, Call):
                for phase in (<Call>kernel).phases:
                    self.phases[index], self.line_of[index] = phase.line, number
                    index += 1
        self.first_phase[self.count] = index
        return 0

    cdef int _take_slots(self, list slots_of, aliases) except -1:
        cdef int operand = 0, number
        self.slots = <int *>_allocate(sum(map(len, slots_of)) * sizeof(int))
        self.first_slot = <int *>_allocate((self.count + 1) * sizeof(int))
        used = set()
        for number, slots in enumerate(slots_of):
            self.first_slot[number] = operand
            if not self.is_call[number]:
                continue
            for slot in slots:
                self.slots[operand] = aliases.get(slot, slot)
                used.add(aliases.get(slot, slot))
                operand += 1
            self.most_operands = max(self.most_operands, <int>len(slots))
        self.first_slot[self.count] = operand
        self.used = <int *>_allocate(len(used) * sizeof(int))
        self.used_count = len(used)
        for number, slot in enumerate(sorted(used)):
            self.used[number] = slot
        return 0

    def __dealloc__(self):
        for memory in (<size_t>self.phases, <size_t>self.line_of, <size_t>self.first_phase):
            free(<void *><size_t>memory)
        if self.has_slots:
            for memory in (<size_t>self.slots, <size_t>self.first_slot, <size_t>self.used):
                free(<void *><size_t>memory)

    cpdef int run(self, list values, int start) except -1:
        """Run lines starting at `start`; return the index of the first one that was not run."""
        return self.run_phases(self.phases, values, start, NULL, NULL, NULL)

    cdef int run_phases(self, Line *phases, list values, int start, const int *places, const int64_t *offsets,
                        char *block) except -1:
        """The same with such phases. A slot that has a place (not -1) is in a block of memory, not in `values`.

        places: for each of the `used` slots, the index of its offset; NULL if `values` has everything.
        """
        cdef int end = start, number, slot, status
        cdef const char *is_call = self.is_call
        cdef void *few[256]
        cdef void **addresses = few
        while end < self.count and is_call[end]:
            end += 1
        if end == start:
            return end
        if self.value_count + self.most_operands > 256:
            addresses = <void **>_allocate((self.value_count + self.most_operands) * sizeof(void *))
        for number in range(self.used_count):
            slot = self.used[number]
            if places != NULL and places[number] >= 0:
                addresses[slot] = block + offsets[places[number]]
                continue
            value = values[slot]
            if value is not None and not cnp.PyArray_Check(value):      # a scalar that a reference kernel has returned
                value = values[slot] = np.array(value)
            addresses[slot] = NULL if value is None else cnp.PyArray_DATA(<cnp.ndarray>value)
        with nogil:
            status = self._run(phases, addresses, start, end)
        if addresses != few:
            free(addresses)
        return status

    def caller(self, plan):
        """See `minigluon.backend.contract.Program`."""
        return Caller(self, plan)

    cdef int _run(self, Line *phases, void **addresses, int start, int end) noexcept nogil:
        """Return the index of the line that refused, or `end`."""
        cdef void **io = addresses + self.value_count
        cdef int number, index, line = -1
        for number in range(self.first_phase[start], self.first_phase[end]):
            if self.line_of[number] != line:
                line = self.line_of[number]
                for index in range(self.first_slot[line], self.first_slot[line + 1]):
                    io[index - self.first_slot[line]] = addresses[self.slots[index]]
            if pool_run(phases[number].run, phases[number].fields, io, phases[number].parts,
                        phases[number].any_parts) != DONE:
                return line
        return end


cdef class Caller:
    """`caller(buffers)` -> results: a whole run of a plan's forward part, from the inputs to the results.

    program: its Program. It copies what it needs from the plan and keeps no reference to it, because the plan refers to
    its caller.
    """
    cdef Program program
    cdef object take, put, new_values, finish, specs, empty
    cdef Result *fresh
    cdef int *fresh_slots
    cdef int fresh_count, input_count
    cdef list results, outside

    def __cinit__(self, Program program, plan):
        cdef int index
        allocated = plan.allocated
        self.program, self.take, self.put, self.new_values = program, plan.pool.pop, plan.pool.append, plan.new_values
        self.input_count, self.results, self.outside = plan.input_count, list(plan.results), list(plan.left_empty)
        self.fresh_count, self.specs = len(allocated), [spec for spec, _ in allocated]
        self.empty, self.finish = plan.empty, plan.finish
        self.fresh = <Result *>_allocate(len(allocated) * sizeof(Result))
        self.fresh_slots = <int *>_allocate(len(allocated) * sizeof(int))
        for index, (spec, slot) in enumerate(allocated):
            self.fresh[index], self.fresh_slots[index] = _result(spec.shape, spec.dtype), slot

    def __dealloc__(self):
        free(self.fresh)
        free(self.fresh_slots)

    def __call__(self, list buffers):
        cdef list values, results
        cdef Result *fresh
        cdef int index, line
        try:
            values = self.take()
        except IndexError:
            values = self.new_values()
        for index in range(self.input_count):
            values[index] = buffers[index]
        for index in range(self.fresh_count):
            fresh = &self.fresh[index]
            try:
                array = _new_array(fresh.ndim, fresh.shape, fresh.type_number, fresh.size)
            except MemoryError:
                array = self.empty(*self.specs[index])
            values[self.fresh_slots[index]] = array
        line = self.program.run(values, 0)
        if line < self.program.count:
            self.finish(values, line)
        results = [values[index] for index in self.results]
        for index in range(self.input_count):
            values[index] = None
        for index in self.outside:
            values[index] = None
        self.put(values)
        return results
