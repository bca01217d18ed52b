"""The layer between Python and the driver for each kernel: buffers, prepared launches, and programs of them.

Nothing here needs CUDA's headers. The driver's `cuLaunchKernel` is called through its address, so the same code runs
on a real driver and on the emulated one.
"""

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.string cimport memcpy

import math

__all__ = ["Buffer", "EnqueueCall", "LibraryCall", "Prepared", "Program", "make_current", "set_driver"]

ctypedef int (*launch_t)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                         void **, void **) noexcept nogil

ctypedef int (*get_current_t)(void **) noexcept nogil
ctypedef int (*set_current_t)(void *) noexcept nogil

cdef launch_t _launch = NULL                    # cuLaunchKernel
cdef get_current_t _get_current = NULL          # cuCtxGetCurrent
cdef set_current_t _set_current = NULL          # cuCtxSetCurrent


def set_driver(size_t launch, size_t get_current, size_t set_current):
    """Set the functions of the loaded driver, given their addresses."""
    global _launch, _get_current, _set_current
    _launch, _get_current, _set_current = <launch_t>launch, <get_current_t>get_current, <set_current_t>set_current


def make_current(size_t context):
    """Make a context current in this thread unless it already is; return the driver's status.

    It queries the driver each time, which takes a tenth of a microsecond, because another library may have set its own
    context in the meantime.
    """
    cdef void *current = NULL
    cdef int status = _get_current(&current)
    return status if status or current == <void *>context else _set_current(<void *>context)


cdef class Buffer:
    """A part of a device's memory, viewed as an array.

    pointer: address on the device. strides: bytes, or None for contiguous elements in row-major order. owner: the
    object that keeps the memory alive; device: the Device that it is on.
    """
    cdef readonly unsigned long long pointer
    cdef readonly tuple shape
    cdef readonly object dtype, strides, owner, device

    def __cinit__(self, unsigned long long pointer, tuple shape, dtype, owner, device, strides=None):
        self.pointer, self.shape, self.dtype, self.owner, self.device = pointer, shape, dtype, owner, device
        self.strides = strides

    @property
    def size(self):
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def ndim(self):
        """Number of axes."""
        return len(self.shape)

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def c_contiguous(self):
        """Whether the elements are contiguous in row-major order."""
        return self.strides is None


cdef class Prepared:
    """A kernel with its grid, blocks and arguments; only the addresses of its operands are missing.

    function: the driver's handle, as an integer. grid, block: three numbers each. shared: bytes of dynamic shared
    memory. arguments: in the kernel's order, an int k >= 0 for the address of operand k, otherwise bytes that are
    passed by value. owner: the object that keeps the function alive.
    """
    cdef void *function
    cdef unsigned grid[3]
    cdef unsigned block[3]
    cdef unsigned shared
    cdef int count                      # of arguments
    cdef int *operands                  # -1 if the argument is a value
    cdef unsigned long long *words      # the arguments' memory, eight bytes or more each
    cdef void **parameters
    cdef readonly object owner, name

    def __cinit__(self, size_t function, grid, block, unsigned shared, arguments, owner, name):
        cdef int index, word = 0
        cdef const char *data
        self.function, self.shared, self.owner, self.name = <void *>function, shared, owner, name
        for index in range(3):
            self.grid[index], self.block[index] = grid[index], block[index]
        if len(arguments) > 64:
            raise ValueError(f"{name} has {len(arguments)} arguments, and a launch takes 64")
        self.count = len(arguments)
        sizes = [1 if isinstance(a, int) else -(-len(a) // 8) for a in arguments]
        self.operands = <int *>_allocate(self.count * sizeof(int))
        self.parameters = <void **>_allocate(self.count * sizeof(void *))
        self.words = <unsigned long long *>_allocate(sum(sizes) * 8)
        for index, argument in enumerate(arguments):
            self.parameters[index] = &self.words[word]
            if isinstance(argument, int):
                self.operands[index] = argument
            else:
                self.operands[index] = -1
                data = argument
                memcpy(&self.words[word], data, len(argument))
            word += sizes[index]

    def __dealloc__(self):
        PyMem_Free(self.operands)
        PyMem_Free(self.words)
        PyMem_Free(self.parameters)

    cdef int launch(self, unsigned long long *addresses, void *stream) noexcept nogil:
        """Launch the kernel; return the driver's result. addresses: those of the operands."""
        cdef int index
        cdef void *parameters[64]
        cdef unsigned long long pointers[64]
        # The arguments' memory is shared by all threads, so the addresses, which differ from call to call, are not in it.
        for index in range(self.count):
            if self.operands[index] >= 0:
                pointers[index] = addresses[self.operands[index]]
                parameters[index] = &pointers[index]
            else:
                parameters[index] = self.parameters[index]
        return _launch(self.function, self.grid[0], self.grid[1], self.grid[2], self.block[0], self.block[1],
                       self.block[2], self.shared, stream, parameters, NULL)


# A C function of up to 24 numbers and addresses. It may take fewer, because in all supported ABIs the caller cleans up.
ctypedef int (*library_t)(size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t,
                          size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t, size_t,
                          size_t) noexcept

cdef enum:
    VALUE, OPERAND, PLACE_OF_OPERAND, MULTIPLE, BY_STREAM


cdef class LibraryCall:
    """A call of a library's C function, without Python in between, because ctypes takes as long as a small kernel.

    function: its address. It returns 0 or an error. arguments: in its order, each
        an int                      passed as it is
        ("operand", k, offset)      the address of operand k plus this many bytes
        ("place", k, offset)        the address of memory that holds that address
        ("multiple", k, n)          the first multiple of n, a power of 2, from the address of operand k on
        {stream: int}               the value for the stream
    owners: objects that must live as long as this. The interpreter's lock is held, so calls do not interleave.
    """
    cdef library_t function
    cdef int count
    cdef int kinds[24]
    cdef int numbers[24]
    cdef size_t words[24]
    cdef size_t cells[24]
    cdef object streams, owners

    def __cinit__(self, size_t function, arguments, owners=None):
        cdef int index
        if len(arguments) > 24:
            raise ValueError(f"{len(arguments)} arguments, and a call takes 24")
        self.function, self.count, self.owners, self.streams = <library_t>function, len(arguments), owners, {}
        for index, argument in enumerate(arguments):
            self.kinds[index], self.numbers[index], self.words[index] = VALUE, 0, 0
            if isinstance(argument, dict):
                self.kinds[index] = BY_STREAM
                self.streams[index] = argument
            elif isinstance(argument, tuple):
                self.kinds[index] = {"operand": OPERAND, "place": PLACE_OF_OPERAND, "multiple": MULTIPLE}[argument[0]]
                self.numbers[index], self.words[index] = argument[1], argument[2]
            else:
                self.words[index] = argument & 0xffffffffffffffff

    cdef int call(self, unsigned long long *addresses, size_t stream) except? -1:
        cdef size_t words[24]
        cdef int index
        for index in range(24):
            words[index] = 0
        for index in range(self.count):
            words[index] = self.words[index]
            if self.kinds[index] == BY_STREAM:
                words[index] = self.streams[index][stream]
            elif self.kinds[index] == MULTIPLE:
                words[index] = addresses[self.numbers[index]] + self.words[index] - 1 & ~(self.words[index] - 1)
            elif self.kinds[index] != VALUE:
                words[index] += addresses[self.numbers[index]]
                if self.kinds[index] == PLACE_OF_OPERAND:
                    self.cells[index] = words[index]
                    words[index] = <size_t>&self.cells[index]
        return self.function(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7], words[8],
                             words[9], words[10], words[11], words[12], words[13], words[14], words[15], words[16],
                             words[17], words[18], words[19], words[20], words[21], words[22], words[23])


cdef class EnqueueCall:
    """Work that Python itself puts on the stream: a library's call, a copy, a kernel whose numbers change each time.

    function(stream, pointers): stream is the handle of the stream, and pointers are the addresses of the operands, as
    integers. replayable: whether a CUDA graph that has captured it may be launched again instead. calls: LibraryCalls
    that do the same if all operands begin at multiples of 16 bytes; failed(status) raises the error for a status that
    one of them returns. """
    cdef readonly object function, name
    cdef readonly bint replayable
    cdef tuple operands, calls
    cdef object failed
    cdef unsigned long long misaligned      # bits of an address that must be 0

    def __cinit__(self, function, operands, name, bint replayable=True, calls=(), failed=None):
        self.function, self.operands, self.name, self.replayable = function, tuple(operands), name, replayable
        self.calls, self.failed, self.misaligned = tuple(calls), failed, 15

    cdef int launch(self, unsigned long long *addresses, size_t stream) except -1:
        cdef unsigned long long values[64]
        cdef unsigned long long low = 0
        cdef int index = 0, status
        if self.calls and len(self.operands) <= 64:
            for k in self.operands:
                values[index] = addresses[<int>k]
                low |= values[index]
                index += 1
            if not low & self.misaligned:
                for each in self.calls:
                    status = (<LibraryCall>each).call(values, stream)
                    if status:
                        self.failed(status)
                return 0
        self.function(stream, [addresses[k] for k in self.operands])
        return 0


cdef class Program:
    """Successive launches of several kernels, over one list of values.

    lines: [([Prepared or EnqueueCall], places of the operands in `values`)].
    """
    cdef readonly list kernels  # of all lines
    cdef int *line_of           # of each kernel
    cdef int *first_kernel      # of each line, and after the last
    cdef int *places            # operands of all lines
    cdef int *first_place       # of each line, and after the last
    cdef int most_operands
    cdef readonly int count     # of lines
    cdef tuple used             # all places, each once

    def __cinit__(self, lines, aliases):
        cdef int line, kernel = 0, operand = 0
        self.count = len(lines)
        self.kernels = [k for kernels, _ in lines for k in kernels]
        self.line_of = <int *>_allocate(len(self.kernels) * sizeof(int))
        self.first_kernel = <int *>_allocate((self.count + 1) * sizeof(int))
        self.first_place = <int *>_allocate((self.count + 1) * sizeof(int))
        self.places = <int *>_allocate(sum(len(places) for _, places in lines) * sizeof(int))
        used = {}
        for line, (kernels, places) in enumerate(lines):
            self.first_kernel[line], self.first_place[line] = kernel, operand
            for _ in kernels:
                self.line_of[kernel] = line
                kernel += 1
            for place in places:
                self.places[operand] = aliases.get(place, place)
                if kernels:
                    used[self.places[operand]] = None
                operand += 1
            self.most_operands = max(self.most_operands, <int>len(places))
        self.first_kernel[self.count], self.first_place[self.count] = kernel, operand
        self.used = tuple(used)

    def __dealloc__(self):
        PyMem_Free(self.line_of)
        PyMem_Free(self.first_kernel)
        PyMem_Free(self.first_place)
        PyMem_Free(self.places)

    def pointers(self, list values):
        """Return the addresses of all operands, a key under which a captured graph can be found again."""
        return tuple([(<Buffer>values[place]).pointer if isinstance(values[place], Buffer) else 0
                      for place in self.used])

    def kernels_of(self, int start, int end):
        """Return (first, one past the last) kernel of lines start to end - 1."""
        return self.first_kernel[start], self.first_kernel[end]

    def run(self, list values, int start, int end, size_t stream):
        """Enqueue kernels start to end - 1. Returns (0, None), or the driver's error and the kernel that failed."""
        cdef int line = -1, index, number, status
        cdef unsigned long long few[64]
        cdef unsigned long long *addresses = few
        cdef Prepared prepared
        if self.most_operands > 64:
            addresses = <unsigned long long *>_allocate(self.most_operands * sizeof(unsigned long long))
        try:
            for number in range(start, end):
                if self.line_of[number] != line:
                    line = self.line_of[number]
                    for index in range(self.first_place[line], self.first_place[line + 1]):
                        value = values[self.places[index]]
                        addresses[index - self.first_place[line]] = (
                            (<Buffer>value).pointer if isinstance(value, Buffer) else 0)
                kernel = self.kernels[number]
                if isinstance(kernel, Prepared):
                    prepared = <Prepared>kernel
                    with nogil:
                        status = prepared.launch(addresses, <void *>stream)
                    if status != 0:
                        return status, kernel
                else:
                    (<EnqueueCall>kernel).launch(addresses, stream)
        finally:
            if addresses != few:
                PyMem_Free(addresses)
        return 0, None


cdef void *_allocate(size_t size) except NULL:
    cdef void *memory = PyMem_Calloc(max(size, <size_t>1), 1)
    if memory == NULL:
        raise MemoryError
    return memory
