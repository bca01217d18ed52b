# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The engine: kernels by name, calls of them on arrays, and programs of calls that run without Python in between.

    Phase       a kernel with its sizes, divided into parts for the threads
    Call        phases, one after the other, on inputs, outputs and scratch buffers: the work of one operator
    Kernel      a Call that allocates its results: what imperative execution runs
    Program     the Calls of a plan
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport strcpy

from cpython.pycapsule cimport PyCapsule_New

cimport numpy as cnp

import numpy as np

cnp.import_array()

cdef extern from "kernel.h" nogil:
    ctypedef int Run "Kernel"(const void *fields, void *const *io, int64_t part, int64_t parts)
    ctypedef struct Entry:
        const char *name
        Run *run
        const char *fields
    int DONE

cdef extern from "table.h" nogil:
    const Entry *kernel_at(int index, const char **isa, const char **real)
    const char *best_isa()
    bint c_has_isa "has_isa"(const char *isa)

cdef extern from "pool.h" nogil:
    int pool_run(Run *run, const void *fields, void *const *io, int64_t parts)
    int pool_threads()
    void pool_set_threads(int threads)

cdef extern from "memory.h" nogil:
    void *memory_new(void *context, size_t size)
    void *memory_new_zeroed(void *context, size_t count, size_t size)
    void *memory_resize(void *context, void *memory, size_t size)
    void memory_free(void *context, void *memory, size_t size)
    size_t memory_trim()

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyDataMemAllocator:
        void *ctx
        void *(*malloc)(void *, size_t)
        void *(*calloc)(void *, size_t, size_t)
        void *(*realloc)(void *, void *, size_t)
        void (*free)(void *, void *, size_t)
    ctypedef struct PyDataMem_Handler:
        char name[127]
        unsigned char version
        PyDataMemAllocator allocator
    object PyDataMem_SetHandler(object handler)

MOST_PARTS = 2 ** 16        # of a phase
cdef size_t LARGE = 2 ** 12       # bytes

cdef struct Line:
    Run *run
    const void *fields
    int64_t parts


# -- kernels by name ------------------------------------------------------------------------------------------------

cdef class Found:
    """An entry of the table of kernels."""
    cdef const Entry *entry


def _table():
    cdef const Entry *entry
    cdef const char *isa
    cdef const char *real
    cdef Found found
    cdef int index = 0
    table = {}
    entry = kernel_at(0, &isa, &real)
    while entry != NULL:
        found = Found()
        found.entry = entry
        table[isa.decode(), real.decode(), entry.name.decode()] = found
        index += 1
        entry = kernel_at(index, &isa, &real)
    return table


_kernels = _table()
_isa = best_isa().decode()
_suffixes = {np.dtype("float32"): "f32", np.dtype("float64"): "f64", None: "bytes"}


def isas():
    """{instruction set: (is it built, has this processor it)}, the simplest first."""
    built = {isa for isa, _, _ in _kernels}
    return {name: (name in built, bool(c_has_isa(name.encode()))) for name in ("baseline", "avx2", "avx512")}


def isa():
    """The instruction set that phases take their kernels from."""
    return _isa


def set_isa(name):
    """Take kernels from another instruction set from now on. Raises ValueError where it is not built, or not here."""
    global _isa
    usable = [known for known, (built, has) in isas().items() if built and has]
    if name not in usable:
        raise ValueError(f"instruction set {name!r} cannot be used; usable here: {', '.join(usable)}")
    _isa = name


def kernels():
    """Names of all kernels: [(instruction set, 'f32' or 'f64' or 'bytes', name)]."""
    return sorted(_kernels)


def fields(name, dtype=None):
    """Names of the fields of a kernel."""
    cdef Found found = _kernels[_isa, _suffixes[dtype if dtype is None else np.dtype(dtype)], name]
    return found.entry.fields.decode().split()


def threads():
    """How many threads work on one kernel."""
    return pool_threads()


def set_threads(int count):
    """Let so many threads work on one kernel, at least 1."""
    pool_set_threads(count)


# -- memory ---------------------------------------------------------------------------------------------------------

cdef PyDataMem_Handler _handler
strcpy(_handler.name, "minigluon_accel")
_handler.version = 1
_handler.allocator = PyDataMemAllocator(NULL, memory_new, memory_new_zeroed, memory_resize, memory_free)
_memory = PyCapsule_New(&_handler, "mem_handler", NULL)


cdef object _new_array(int ndim, cnp.npy_intp *shape, int type_number, size_t size):
    """An array; a large one, of `size` bytes, in memory of `memory.c`, to which it goes back."""
    if size < LARGE:
        return cnp.PyArray_EMPTY(ndim, shape, type_number, 0)
    before = PyDataMem_SetHandler(_memory)
    try:
        return cnp.PyArray_EMPTY(ndim, shape, type_number, 0)
    finally:
        PyDataMem_SetHandler(before)


def empty(shape, dtype):
    """`numpy.empty` for arrays that kernels work on: a large one begins at a cache line."""
    cdef Result result = _result(shape, dtype)
    return _new_array(result.ndim, result.shape, result.type_number, result.size)


def release_memory():
    """Give back to the system what is kept of the memory of former arrays; the number of bytes."""
    return memory_trim()


cdef struct Result:             # an array to allocate
    int ndim, type_number
    size_t size                 # bytes
    cnp.npy_intp shape[32]


cdef Result _result(shape, dtype) except *:
    cdef Result result
    result.ndim, result.type_number, result.size = len(shape), dtype.num, dtype.itemsize
    for axis, length in enumerate(shape):
        result.shape[axis] = length
        result.size *= length
    return result


# -- phases and calls -----------------------------------------------------------------------------------------------

cdef class Phase:
    """A kernel with its sizes.

    name: of the kernel. dtype: float32, float64, or None for kernels that are the same for all types. parts: into how
    many parts its work is divided, at most MOST_PARTS; it must not depend on the number of threads. fields: the members
    of its struct, all of them; a list for one that is an array.
    """
    cdef Line line
    cdef readonly str name
    cdef readonly dict fields
    cdef readonly object dtype

    def __init__(self, str name, dtype=None, int64_t parts=1, **fields):
        cdef Found found = _kernels.get((_isa, _suffixes[dtype if dtype is None else np.dtype(dtype)], name))
        if found is None:
            raise LookupError(f"no kernel {name!r} for {dtype} and {_isa}")
        if not 0 <= parts <= MOST_PARTS:
            raise ValueError(f"kernel {name}: {parts} parts, expected at most {MOST_PARTS}")
        wanted = found.entry.fields.decode().split()
        if [w.partition(":")[0].removesuffix("[]") for w in wanted] != list(fields):
            raise TypeError(f"kernel {name}: found fields {list(fields)}, expected {wanted}")
        numbers = [(number, w.endswith(":d")) for w, value in zip(wanted, fields.values())
                   for number in (value if "[]" in w else [value])]
        self.name, self.dtype, self.fields = name, dtype, fields
        self.line.run, self.line.parts = found.entry.run, parts
        cdef char *packed = <char *>malloc(8 * len(numbers) + 8)
        if packed == NULL:
            raise MemoryError
        self.line.fields = packed
        for index, (value, is_double) in enumerate(numbers):
            if is_double:
                (<double *>packed)[index] = value
            else:
                (<int64_t *>packed)[index] = value

    def __dealloc__(self):
        free(<void *>self.line.fields)

    @property
    def parts(self):
        return self.line.parts

    def __repr__(self):
        listed = ", ".join(f"{k}={v}" for k, v in self.fields.items())
        return f"{self.name}<{self.dtype}>({listed}) in {self.line.parts} parts"


cdef class Call:
    """`call(inputs, outputs)`: the work of one operator, on NumPy arrays of the sizes it was prepared for.

    phases: they run one after the other, all on the same arrays. scratch: Specs of buffers that follow the outputs;
    where a caller leaves them out, they are allocated. writes_inputs=False: although the operator mutates inputs, here it
    leaves them as they are (BatchNorm when it is not training).

    The backend that has prepared it sets the rest. outputs: their Specs. mutated: numbers of the inputs that are written
    to. models: numbers of those of which only the shape matters. fallback: `fallback(inputs, outputs)`, the reference, which answers for values that a kernel refuses.
    """
    runs_in_programs = True
    cdef readonly tuple phases, scratch
    cdef public tuple outputs, mutated, models
    cdef public object fallback
    cdef readonly bint writes_inputs
    cdef bint is_long               # enough to let other threads of Python run meanwhile

    def __init__(self, *phases, scratch=(), writes_inputs=True):
        self.phases, self.scratch = phases, tuple(scratch)
        self.outputs, self.mutated, self.models = (), (), ()
        self.fallback, self.writes_inputs = None, writes_inputs
        self.is_long = any(phase.parts > 1 for phase in phases)

    def __repr__(self):
        return "Call(" + ", ".join(map(repr, self.phases)) + ")"

    def __call__(self, inputs, outputs):
        cdef list arrays = [*inputs, *outputs]
        if len(outputs) == len(self.outputs):
            arrays += [empty(spec.shape, spec.dtype) for spec in self.scratch]
        if not _in_one_piece(arrays, self.models):
            self._run_on_copies(arrays, len(inputs), len(outputs))
        elif self._run(arrays) != DONE:
            self.fallback(inputs, outputs)

    cdef int _run_on_copies(self, list arrays, Py_ssize_t inputs, Py_ssize_t outputs) except -1:
        """The same where an array is not in one piece, or not aligned: on copies, which are copied back."""
        cdef list copies = [np.array(x, order="C") for x in arrays]
        if self._run(copies) != DONE:
            self.fallback(arrays[:inputs], arrays[inputs:inputs + outputs])
            return 0
        for index in (*self.mutated, *range(inputs, inputs + outputs)):
            arrays[index][...] = copies[index]
        return 0

    cdef int _run(self, list arrays) except -1:
        """Run all phases; the code of the first that refuses, or DONE."""
        cdef void *few[32]
        cdef void **io = few
        cdef Py_ssize_t count = len(arrays), index
        cdef Phase phase
        cdef int status = DONE
        if count > 32:
            io = <void **>_allocate(count * sizeof(void *))
        for index in range(count):
            io[index] = cnp.PyArray_DATA(<cnp.ndarray>arrays[index])
        for phase in self.phases:
            if self.is_long:
                with nogil:
                    status = pool_run(phase.line.run, phase.line.fields, io, phase.line.parts)
            else:
                status = pool_run(phase.line.run, phase.line.fields, io, phase.line.parts)
            if status != DONE:
                break
        if io != few:
            free(io)
        return status


cdef bint _in_one_piece(list arrays, tuple models=()):
    cdef Py_ssize_t index
    for index in range(len(arrays)):
        array = arrays[index]
        if not cnp.PyArray_Check(array) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>array):
            if index not in models or not cnp.PyArray_Check(array):
                return False
    return True


cdef class Kernel:
    """`kernel(inputs)` -> results in new memory, then the new values of mutated inputs, None for unchanged ones."""
    cdef readonly Call call
    cdef Result *results
    cdef int count
    cdef list unchanged

    def __cinit__(self, Call call, int mutated):
        cdef int index
        self.call, self.count = call, len(call.outputs)
        self.results = <Result *>_allocate(self.count * sizeof(Result))
        for index, spec in enumerate(call.outputs):
            self.results[index] = _result(spec.shape, spec.dtype)
        self.unchanged = [None] * (mutated - len(call.mutated))

    def __dealloc__(self):
        free(self.results)

    cdef object run(self, list handles):
        """The only result, of inputs in one piece."""
        cdef Call call = self.call
        cdef Result *result = &self.results[0]
        array = _new_array(result.ndim, result.shape, result.type_number, result.size)
        if call.scratch:
            call(handles, [array])
        elif call._run([*handles, array]) != DONE:
            call.fallback(handles, [array])
        return array

    def __call__(self, inputs, outputs=None):
        cdef Call call = self.call
        cdef list arrays, results = []
        cdef int index
        cdef Result *result
        if outputs is not None:
            call(inputs, outputs)
            return outputs
        arrays = list(inputs)
        for index in call.mutated:
            arrays[index] = np.array(arrays[index], order="C")
        for index in range(self.count):
            result = &self.results[index]
            results.append(_new_array(result.ndim, result.shape, result.type_number, result.size))
        if call.scratch or not _in_one_piece(arrays):
            call(arrays, results)
        elif call._run(arrays + results) != DONE:
            call.fallback(arrays, results)
        for index in call.mutated:
            results.append(arrays[index])
        return results + self.unchanged if self.unchanged else results


# -- imperative execution -------------------------------------------------------------------------------------------

cdef struct Array:              # what a kernel was prepared for
    int ndim, type_number
    cnp.npy_intp shape[8]

cdef enum:
    MOST_OPERANDS = 4
    MOST_SIGNATURES = 8

cdef struct Signature:
    int count, training
    Array arrays[MOST_OPERANDS]


cdef bint _matches(Signature *signature, list handles):
    cdef int index, axis
    cdef Array *array
    cdef cnp.ndarray handle
    for index in range(signature.count):
        array, handle = &signature.arrays[index], handles[index]
        if (cnp.PyArray_NDIM(handle) != array.ndim or cnp.PyArray_TYPE(handle) != array.type_number
                or not cnp.PyArray_ISCARRAY_RO(handle)):
            return False
        for axis in range(array.ndim):
            if cnp.PyArray_DIM(handle, axis) != array.shape[axis]:
                return False
    return True


cdef class Site:
    """`site(inputs)` -> the result of an operator, or None where no kernel is remembered for such inputs.

    The compiled twin of the common path through `minigluon.ndarray.invoke`: the operator has one result and mutates
    nothing, and its inputs are arrays on one device, in one piece. Kernels are found by comparing sizes and types with
    the last few, instead of by a key in a dictionary. new: makes an NDArray without initializing it. state: the tape's.
    """
    cdef Signature signatures[MOST_SIGNATURES]
    cdef list kernels
    cdef object new, cls, state
    cdef bint modal
    cdef int next

    def __init__(self, cls, state, bint modal):
        self.new, self.cls, self.state, self.modal = cls.__new__, cls, state, modal
        self.kernels, self.next = [], 0

    def remember(self, handles, bint training, Kernel kernel):
        """Use this kernel for such buffers from now on. Of MOST_SIGNATURES the oldest is forgotten."""
        cdef Signature signature
        cdef int index, axis
        if len(handles) > MOST_OPERANDS or any(x.ndim > 8 for x in handles):
            return
        signature.count, signature.training = len(handles), training and self.modal
        for index, handle in enumerate(handles):
            signature.arrays[index].ndim, signature.arrays[index].type_number = handle.ndim, handle.dtype.num
            for axis, length in enumerate(handle.shape):
                signature.arrays[index].shape[axis] = length
        if len(self.kernels) < MOST_SIGNATURES:
            self.kernels.append(None)
        self.signatures[self.next], self.kernels[self.next] = signature, kernel
        self.next = (self.next + 1) % MOST_SIGNATURES

    def __call__(self, inputs):
        cdef list handles = []
        cdef Kernel kernel
        cdef int index
        context = None
        for x in inputs:
            if context is None:
                context = x._ctx
            elif x._ctx is not context:
                return None
            handle = x._data
            if not cnp.PyArray_Check(handle):
                return None
            handles.append(handle)
        cdef int training = self.modal and self.state.training
        for index in range(len(self.kernels)):
            if (self.signatures[index].count == len(handles) and self.signatures[index].training == training
                    and _matches(&self.signatures[index], handles)):
                kernel = self.kernels[index]
                result = self.new(self.cls)
                result._data = kernel.run(handles)
                result._ctx = context
                return result
        return None


# -- programs -------------------------------------------------------------------------------------------------------

cdef class Program:
    """Lines of a plan. `program.run(values, start)` runs them from number `start` on.

    lines: [(kernel, places of its operands in `values`)]. Lines whose kernel is a Call run one after the other without
    Python, until one that has another kernel, or whose kernel refuses: `run` returns its number, for Python to run it,
    and len(lines) at the end. aliases: {place: place}, of values that are others in another shape.
    """
    cdef Line *phases
    cdef int *line_of               # of each phase
    cdef int *first_phase           # of each line, and behind the last
    cdef int *places                # operands of all lines
    cdef int *first_place           # of each line, and behind the last
    cdef int *used                  # all places, each once
    cdef int used_count, value_count, most_operands
    cdef readonly int count         # of lines
    cdef list kernels               # keeps what the phases point to
    cdef bytes is_call

    def __cinit__(self, lines, aliases, value_count):
        cdef Phase phase
        cdef int index = 0, operand = 0, number
        phases = sum(len(kernel.phases) for kernel, _ in lines if isinstance(kernel, Call))
        operands = sum(len(places) for _, places in lines)
        self.phases = <Line *>_allocate(phases * sizeof(Line))
        self.line_of = <int *>_allocate(phases * sizeof(int))
        self.first_phase = <int *>_allocate((len(lines) + 1) * sizeof(int))
        self.places = <int *>_allocate(operands * sizeof(int))
        self.first_place = <int *>_allocate((len(lines) + 1) * sizeof(int))
        self.kernels = [kernel for kernel, _ in lines]
        self.is_call = bytes([isinstance(kernel, Call) for kernel in self.kernels])
        self.count, self.value_count = len(lines), value_count
        used = set()
        for number, (kernel, places) in enumerate(lines):
            self.first_phase[number], self.first_place[number] = index, operand
            if not isinstance(kernel, Call):
                continue
            for phase in kernel.phases:
                self.phases[index], self.line_of[index] = phase.line, number
                index += 1
            for place in places:
                self.places[operand] = aliases.get(place, place)
                used.add(aliases.get(place, place))
                operand += 1
            self.most_operands = max(self.most_operands, <int>len(places))
        self.first_phase[self.count], self.first_place[self.count] = index, operand
        self.used = <int *>_allocate(len(used) * sizeof(int))
        self.used_count = len(used)
        for number, place in enumerate(sorted(used)):
            self.used[number] = place

    def __dealloc__(self):
        for memory in (<size_t>self.phases, <size_t>self.line_of, <size_t>self.first_phase, <size_t>self.places,
                       <size_t>self.first_place, <size_t>self.used):
            free(<void *><size_t>memory)

    cpdef int run(self, list values, int start) except -1:
        """Run lines from `start` on; the number of the first one that was not run."""
        cdef int end = start, number, place, status
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
            place = self.used[number]
            value = values[place]
            if value is not None and not cnp.PyArray_Check(value):      # a scalar that a reference kernel has returned
                value = values[place] = np.array(value)
            addresses[place] = NULL if value is None else cnp.PyArray_DATA(<cnp.ndarray>value)
        with nogil:
            status = self._run(addresses, start, end)
        if addresses != few:
            free(addresses)
        return status

    cdef int _run(self, void **addresses, int start, int end) noexcept nogil:
        """The number of the line that refused, or `end`."""
        cdef void **io = addresses + self.value_count
        cdef int number, index, line = -1
        for number in range(self.first_phase[start], self.first_phase[end]):
            if self.line_of[number] != line:
                line = self.line_of[number]
                for index in range(self.first_place[line], self.first_place[line + 1]):
                    io[index - self.first_place[line]] = addresses[self.places[index]]
            if pool_run(self.phases[number].run, self.phases[number].fields, io, self.phases[number].parts) != DONE:
                return line
        return end


cdef class Caller:
    """`caller(buffers)` -> results: a whole run of a plan's forward part, from the inputs to the results.

    program: its Program. pool: lists of values that are free. new_values: makes one. fresh: [(Spec, place)] of what is
    allocated for each run. results: their places. outside: places that a run leaves empty. finish: `finish(values,
    line)` runs the rest where the Program stops before its end.
    """
    cdef Program program
    cdef object take, put, new_values, finish
    cdef Result *fresh
    cdef int *fresh_places
    cdef int fresh_count, input_count
    cdef list results, outside

    def __cinit__(self, Program program, pool, new_values, int input_count, fresh, results, outside, finish):
        cdef int index
        self.program, self.take, self.put, self.new_values = program, pool.pop, pool.append, new_values
        self.input_count, self.results, self.outside, self.finish = input_count, list(results), list(outside), finish
        self.fresh_count = len(fresh)
        self.fresh = <Result *>_allocate(len(fresh) * sizeof(Result))
        self.fresh_places = <int *>_allocate(len(fresh) * sizeof(int))
        for index, (spec, place) in enumerate(fresh):
            self.fresh[index], self.fresh_places[index] = _result(spec.shape, spec.dtype), place

    def __dealloc__(self):
        free(self.fresh)
        free(self.fresh_places)

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
            values[self.fresh_places[index]] = _new_array(fresh.ndim, fresh.shape, fresh.type_number, fresh.size)
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


cdef void *_allocate(size_t size) except NULL:
    cdef void *memory = malloc(size + 1)
    if memory == NULL:
        raise MemoryError
    return memory
