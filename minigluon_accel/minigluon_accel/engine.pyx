# cython: boundscheck=False, wraparound=False, initializedcheck=False
"""The engine: kernels by name, calls of them on arrays, and programs of calls that run without returning to Python.

    Phase       a kernel with its sizes, divided into parts for the threads
    Call        phases, in order, on inputs, outputs and scratch buffers: the work of one operator
    Kernel      a Call that allocates its results: what imperative execution runs
    Program     the Calls of a plan
"""

from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, strcpy

from cpython.pycapsule cimport PyCapsule_New

cimport numpy as cnp

import numpy as np

from minigluon.ops.symbolic_dimensions import SymbolicDim, has_symbolic_dim

cnp.import_array()

cdef extern from "kernel.h" nogil:
    ctypedef int Run "Kernel"(const void *fields, void *const *io, int64_t part, int64_t parts)
    ctypedef struct Entry:
        const char *name
        Run *run
        const char *fields
        size_t size
        int any_parts
    int DONE

cdef extern from "table.h" nogil:
    const Entry *kernel_at(int index, const char **isa, const char **real)
    const char *best_isa()
    bint c_has_isa "has_isa"(const char *isa)

cdef extern from "pool.h" nogil:
    int pool_run(Run *run, const void *fields, void *const *io, int64_t parts, int any_parts)
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

MAX_PARTS = 2 ** 16        # of a phase
cdef size_t LARGE = 2 ** 12       # bytes

cdef struct Line:
    Run *run
    const void *fields
    int64_t parts
    int any_parts


# -- kernels by name ------------------------------------------------------------------------------------------------

cdef class KernelEntry:
    """An entry of the table of kernels. members: {name: (whether double, whether several numbers)} of its struct."""
    cdef const Entry *entry
    cdef dict members

    cdef dict known_members(self):
        if self.members is None:
            self.members = _members(self.entry.fields.decode())
        return self.members

    cdef bint fits(self, size_t count):
        """Return whether this many numbers fit its struct. The last member may have an open length."""
        is_open = self.entry.fields.endswith(b"[];")
        return self.entry.size == 8 * count or is_open and self.entry.size < 8 * count


def _members(text):
    """Return the members of a struct in C, such as 'int64_t n, sizes[]; double rate; At place;'; At is a struct of
    int64_t."""
    members = {}
    for declaration in filter(str.strip, text.split(";")):
        kind, names = declaration.split(maxsplit=1)
        for name in names.split(","):
            name, bracket, _ = name.strip().partition("[")
            members[name] = kind == "double", bool(bracket) or kind not in ("int64_t", "double")
    return members


def _table():
    cdef const Entry *entry
    cdef const char *isa
    cdef const char *real
    cdef KernelEntry kernel
    cdef int index = 0
    table = {}
    entry = kernel_at(0, &isa, &real)
    while entry != NULL:
        kernel = KernelEntry()
        kernel.entry = entry
        table[isa.decode(), real.decode(), entry.name.decode()] = kernel
        index += 1
        entry = kernel_at(index, &isa, &real)
    return table


_kernels = _table()
_isa = best_isa().decode()
_suffixes = {np.dtype("float32"): "f32", np.dtype("float64"): "f64", None: "bytes"}


def isas():
    """Return {instruction set: (built, supported by this processor)}, the simplest first."""
    built = {isa for isa, _, _ in _kernels}
    return {name: (name in built, bool(c_has_isa(name.encode()))) for name in ("baseline", "avx2", "avx512")}


def isa():
    """Return the instruction set from which phases take their kernels."""
    return _isa


def byte_products(isa):
    """Return the ways to multiply bytes that an instruction set and this processor have, the fastest first: "squares"
    (AMX), "quads" (AVX512-VNNI), and always "pairs"; see csrc/quantized/matrix.h."""
    features = {"squares": b"amx", "quads": b"avx512vnni"}
    usable = [way for way, feature in features.items() if (isa, "bytes", f"multiply_integers_in_{way}") in _kernels
              and c_has_isa(feature)]
    return [*usable, "pairs"]


def set_isa(name):
    """Take kernels from another instruction set from now on. Raises ValueError if it is not built or supported."""
    global _isa
    usable = [isa for isa, (built, has) in isas().items() if built and has]
    if name not in usable:
        raise ValueError(f"instruction set {name!r} cannot be used; usable here: {', '.join(usable)}")
    _isa = name


def kernels():
    """Return the names of all kernels: [(instruction set, 'f32' or 'f64' or 'bytes', name)]."""
    cdef KernelEntry kernel
    names = []
    for key, kernel in _kernels.items():
        if kernel.entry.size:            # the lists of loops have none
            names.append(key)
    return sorted(names)


def loops(name="loops"):
    """Return the names of the loops that the kernels `elementwise` and `program` call by index, or of the "short_loops"
    among them, which a program can fuse."""
    cdef KernelEntry kernel = _kernels[_isa, "f32", name]
    return kernel.entry.fields.decode().split()


def threads():
    """Return the number of threads that work on one kernel."""
    return pool_threads()


def set_threads(int count):
    """Set the number of threads that work on one kernel, at least 1."""
    pool_set_threads(count)


include "memory.pxi"


# -- phases and calls -----------------------------------------------------------------------------------------------

cdef class Phase:
    """A kernel with its sizes.

    name: the name of the kernel. dtype: float32, float64, or None for kernels that are the same for all types. parts:
    the number of parts of its work, at most MAX_PARTS; it must not depend on the number of threads. A kernel
    OF_ANY_PARTS may run in fewer parts (see `kernel.h`). fields: all members of its struct; a member that is an array
    or a struct is a sequence of numbers. Numbers may be SymbolicDims; the Phase then has their example values, and
    `like` creates Phases for other values.
    """
    cdef Line line
    cdef readonly str name
    cdef readonly object dtype
    cdef dict members               # the fields
    cdef list numbers               # numbers of the fields and SymbolicDims, after the number of parts
    cdef bytes is_double            # of each of them
    cdef tuple inner                # Phases that this one runs (see `on` and `chain`)

    def __init__(self, str name, dtype=None, parts=1, **fields):
        cdef KernelEntry kernel = _kernels.get((_isa, _suffixes[dtype if dtype is None else np.dtype(dtype)], name))
        if kernel is None:
            raise LookupError(f"no kernel {name!r} for {dtype} and {_isa}")
        self.name, self.dtype, self.members = name, dtype, fields
        self.set_parts(parts.value if isinstance(parts, SymbolicDim) else parts)
        cdef dict members = kernel.known_members()
        if members.keys() != fields.keys():
            raise TypeError(f"kernel {name}: found fields {list(fields)}, expected {list(members)}")
        numbers, is_double = [parts], [False]
        for member, (of_doubles, is_several) in members.items():
            more = fields[member] if is_several else [fields[member]]
            numbers += more
            is_double += [of_doubles] * (len(numbers) - len(is_double))
        if not kernel.fits(len(numbers) - 1):
            raise TypeError(f"kernel {name}: {len(numbers) - 1} numbers for a struct of {kernel.entry.size} bytes: {fields}")
        self.numbers, self.is_double = numbers, bytes(is_double)
        self.line.run, self.line.any_parts = kernel.entry.run, kernel.entry.any_parts
        self.pack([number.value if isinstance(number, SymbolicDim) else number for number in numbers])

    cdef int set_parts(self, int64_t parts) except -1:
        if not 0 <= parts <= MAX_PARTS:
            raise ValueError(f"kernel {self.name}: {parts} parts, expected at most {MAX_PARTS}")
        self.line.parts = parts
        return 0

    cdef int pack(self, list numbers) except -1:
        """Write the numbers after the first as the kernel's struct."""
        cdef Py_ssize_t index
        cdef const char *is_double = self.is_double
        cdef char *packed = <char *>malloc(8 * len(numbers) + 8)
        if packed == NULL:
            raise MemoryError
        self.line.fields = packed
        for index in range(1, len(numbers)):
            if is_double[index]:
                (<double *>packed)[index - 1] = numbers[index]
            else:
                (<int64_t *>packed)[index - 1] = numbers[index]
        return 0

    cdef Phase like(self, list numbers):
        """Return the same Phase with other numbers: the number of parts, then the numbers of all fields."""
        cdef Phase phase = Phase.__new__(Phase)
        phase.name, phase.dtype, phase.members, phase.is_double = self.name, self.dtype, self.members, self.is_double
        phase.numbers, phase.line.run, phase.line.any_parts = numbers, self.line.run, self.line.any_parts
        phase.set_parts(numbers[0])
        phase.pack(numbers)
        return phase

    cdef int run(self, void **io) noexcept nogil:
        """Run all its parts; return the code of the first that refuses, or DONE."""
        return pool_run(self.line.run, self.line.fields, io, self.line.parts, self.line.any_parts)

    @property
    def fields(self):
        """{member: its number, or its numbers}."""
        if not has_symbolic_dim(list(self.members.values())):
            return self.members
        numbers, fields = iter(self.numbers[1:]), {}
        for member, value in self.members.items():
            fields[member] = [next(numbers) for _ in value] if isinstance(value, (list, tuple)) else next(numbers)
        return fields

    def __dealloc__(self):
        free(<void *>self.line.fields)

    @property
    def parts(self):
        return self.line.parts

    def on(self, operands):
        """Return a Phase for the same work, with operand k taken from operands[k]."""
        cdef Phase phase = Phase("elsewhere", None, self.line.parts, run=<int64_t>self.line.run,
                                 fields=<int64_t>self.line.fields, count=len(operands), operands=operands)
        phase.name, phase.inner, phase.line.any_parts = self.name, (self,), self.line.any_parts
        return phase

    @staticmethod
    def chain(phases, places, parts, room):
        """Return successive phases on a share of the batch as one Phase of `parts` shares: see
        csrc/batch_chain_bytes.c.

        places: for each phase, the places of its operands: (array, bytes of a share), or (-1, offset within `room`
        bytes).
        """
        cdef Phase phase, chain
        cdef list steps = []
        for phase, operands in zip(phases, places, strict=True):
            own_parts = min(phase.line.parts, 1) if phase.line.any_parts else phase.line.parts
            steps += [<int64_t>phase.line.run, <int64_t>phase.line.fields, own_parts, len(operands)]
            for operand in operands:
                steps += operand
        chain = Phase("batch_chain", None, parts, room=room, count=len(phases), steps=steps)
        chain.inner = tuple(phases)
        return chain

    def __repr__(self):
        if self.inner is not None:
            return f"{', then '.join(map(repr, self.inner))}" + f" on {self.fields['operands']}" * (len(self.inner) == 1)
        listed = ", ".join(f"{k}={v}" for k, v in self.fields.items())
        return f"{self.name}<{self.dtype}>({listed}) in {self.line.parts} parts"


cdef class Call:
    """`call(inputs, outputs)`: the work of one operator, on NumPy arrays of the sizes for which it was prepared.

    phases: run in order, all on the same arrays. scratch: Specs of buffers that follow the outputs;
    if a caller leaves them out, they are allocated. writes_inputs=False: although the operator mutates inputs, it
    leaves them unchanged here (BatchNorm outside training).

    The backend that prepared it sets the other attributes. outputs: their Specs. mutated: indices of the inputs that
    are written to. shape_only: indices of inputs of which only the shape matters. fallback: `fallback(inputs,
    outputs)`, the reference, which handles values that a kernel refuses. refused: `refused(inputs, error)`, the error
    for a MemoryError.
    """
    runs_in_programs = True
    cdef readonly tuple phases, scratch
    cdef public tuple outputs, mutated, shape_only
    cdef public object fallback, refused
    cdef readonly bint writes_inputs
    cdef bint is_long               # enough parts to release the GIL in the meantime

    def __init__(self, *phases, scratch=(), writes_inputs=True):
        self.phases, self.scratch = phases, tuple(scratch)
        self.outputs, self.mutated, self.shape_only = (), (), ()
        self.fallback, self.refused, self.writes_inputs = None, None, writes_inputs
        self.is_long = any(phase.parts > 1 for phase in phases)

    def __repr__(self):
        return "Call(" + ", ".join(map(repr, self.phases)) + ")"

    @property
    def numbers(self):
        """The numbers of all its phases, concatenated; None if a phase runs another one.

        If it was prepared for shapes with SymbolicDims, some of them are SymbolicDims, and `like` takes other numbers.
        """
        cdef Phase phase
        cdef list numbers = []
        for phase in self.phases:
            if phase.inner is not None:
                return None
            numbers += phase.numbers
        return numbers

    def like(self, list numbers, scratch):
        """Return the same Call with other numbers for all its phases. The backend sets the other attributes."""
        cdef Phase phase, other
        cdef Call call = Call.__new__(Call)
        cdef Py_ssize_t start = 0, end
        cdef list phases = []
        for phase in self.phases:
            end = start + len(phase.numbers)
            other = phase.like(numbers[start:end])
            phases.append(other)
            start = end
            call.is_long = call.is_long or other.line.parts > 1
        call.phases, call.scratch, call.writes_inputs = tuple(phases), tuple(scratch), self.writes_inputs
        call.outputs, call.mutated, call.shape_only = self.outputs, self.mutated, self.shape_only
        return call

    def __call__(self, inputs, outputs):
        cdef list arrays = [*inputs, *outputs]
        if len(outputs) == len(self.outputs):
            arrays += [empty(spec.shape, spec.dtype) for spec in self.scratch]
        if not _in_one_piece(arrays, self.shape_only):
            self._run_on_copies(arrays, len(inputs), len(outputs))
        elif self._run(arrays) != DONE:
            self.fallback(inputs, outputs)

    cdef int _run_on_copies(self, list arrays, Py_ssize_t inputs, Py_ssize_t outputs) except -1:
        """The same for arrays that are not contiguous or aligned: it runs on copies, which are then copied back."""
        cdef list copies = [np.array(x, order="C") for x in arrays]
        if self._run(copies) != DONE:
            self.fallback(arrays[:inputs], arrays[inputs:inputs + outputs])
            return 0
        for index in (*self.mutated, *range(inputs, inputs + outputs)):
            arrays[index][...] = copies[index]
        return 0

    cdef int _run(self, list arrays) except -1:
        """Run all phases; return the code of the first that refuses, or DONE."""
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
                    status = phase.run(io)
            else:
                status = phase.run(io)
            if status != DONE:
                break
        if io != few:
            free(io)
        return status


cdef bint _in_one_piece(list arrays, tuple shape_only=()):
    cdef Py_ssize_t index
    for index in range(len(arrays)):
        array = arrays[index]
        if not cnp.PyArray_Check(array) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>array):
            if index not in shape_only or not cnp.PyArray_Check(array):
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
        """Return the only result, for contiguous inputs."""
        cdef Call call = self.call
        cdef Result *result = &self.results[0]
        array = self._new(result, handles)
        if call.scratch:
            call(handles, [array])
        elif call._run([*handles, array]) != DONE:
            call.fallback(handles, [array])
        return array

    cdef object _new(self, Result *result, list inputs):
        """Return memory for a result of these inputs."""
        if result.size < LARGE:
            return cnp.PyArray_EMPTY(result.ndim, result.shape, result.type_number, 0)
        try:
            return _new_array(result.ndim, result.shape, result.type_number, result.size)
        except MemoryError as error:
            raise self.call.refused(inputs, error) from error

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
            results.append(self._new(result, arrays))
        if call.scratch or not _in_one_piece(arrays, call.shape_only):
            call(arrays, results)
        elif call._run(arrays + results) != DONE:
            call.fallback(arrays, results)
        for index in call.mutated:
            results.append(arrays[index])
        return results + self.unchanged if self.unchanged else results


include "site.pxi"
include "program.pxi"
include "sizes.pxi"
