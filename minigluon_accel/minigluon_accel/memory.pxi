# Memory of arrays. Part of engine.pyx.

cdef PyDataMem_Handler _handler
strcpy(_handler.name, "minigluon_accel")
_handler.version = 1
_handler.allocator = PyDataMemAllocator(NULL, memory_new, memory_new_zeroed, memory_resize, memory_free)
_memory = PyCapsule_New(&_handler, "mem_handler", NULL)


cdef object _new_array(int ndim, cnp.npy_intp *shape, int type_number, size_t size, bint zeroed=False):
    """Return an array; a large one, of `size` bytes, is in memory from `memory.c`, which takes it back later."""
    if size < LARGE:
        return _made(ndim, shape, type_number, zeroed)
    before = PyDataMem_SetHandler(_memory)
    try:
        return _made(ndim, shape, type_number, zeroed)
    finally:
        PyDataMem_SetHandler(before)


cdef object _made(int ndim, cnp.npy_intp *shape, int type_number, bint zeroed):
    if zeroed:
        return cnp.PyArray_ZEROS(ndim, shape, type_number, 0)
    return cnp.PyArray_EMPTY(ndim, shape, type_number, 0)


def empty(shape, dtype):
    """`numpy.empty` for arrays that kernels work on; a large one begins at a cache line."""
    cdef Result result = _result(shape, dtype)
    return _new_array(result.ndim, result.shape, result.type_number, result.size)


def zeros(shape, dtype):
    """`numpy.zeros` for arrays that kernels work on; in a large one, a page that is never written takes no memory."""
    cdef Result result = _result(shape, dtype)
    return _new_array(result.ndim, result.shape, result.type_number, result.size, True)


def views(cnp.ndarray block, list values, places, offsets, shapes):
    """Put views of a block of bytes into `values`: for each place (slot, index of its offset, index of its shape,
    dtype)."""
    cdef char *start = <char *>cnp.PyArray_DATA(block)
    cdef cnp.npy_intp lengths[32]
    cdef int axis, ndim
    cdef tuple shape, place
    for place in places:
        shape = shapes[<Py_ssize_t>place[2]]
        ndim = len(shape)
        for axis in range(ndim):
            lengths[axis] = shape[axis]
        view = cnp.PyArray_SimpleNewFromData(ndim, lengths, (<cnp.dtype>place[3]).type_num,
                                             start + <Py_ssize_t>offsets[<Py_ssize_t>place[1]])
        cnp.set_array_base(view, block)
        values[<Py_ssize_t>place[0]] = view


def in_kept_memory(kernel):
    """A kernel of the reference whose arrays, including intermediate results, are in memory from `memory.c`."""
    def run(inputs):
        before = PyDataMem_SetHandler(_memory)
        try:
            return kernel(inputs)
        finally:
            PyDataMem_SetHandler(before)
    return run


def release_memory():
    """Return the memory kept from earlier arrays to the system; the result is the number of bytes."""
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


cdef void *_allocate(size_t size) except NULL:
    cdef void *memory = malloc(size + 1)
    if memory == NULL:
        raise MemoryError
    return memory
