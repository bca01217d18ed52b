# Imperative execution: kernels found by the sizes of their arrays. Part of engine.pyx.

cdef struct Array:              # what a kernel was prepared for
    int ndim, type_number
    bint shape_only             # elements do not matter, so strides are free
    cnp.npy_intp shape[8]

cdef enum:
    MAX_OPERANDS = 4
    MAX_SIGNATURES = 8

cdef struct Signature:
    int count, training
    Array arrays[MAX_OPERANDS]


cdef bint _matches(Signature *signature, list handles):
    cdef int index, axis
    cdef Array *array
    cdef cnp.ndarray handle
    for index in range(signature.count):
        array, handle = &signature.arrays[index], handles[index]
        if (cnp.PyArray_NDIM(handle) != array.ndim or cnp.PyArray_TYPE(handle) != array.type_number
                or not (array.shape_only or cnp.PyArray_ISCARRAY_RO(handle))):
            return False
        for axis in range(array.ndim):
            if cnp.PyArray_DIM(handle, axis) != array.shape[axis]:
                return False
    return True


cdef class Site:
    """`site(inputs)` -> the result of an operator, or None if no kernel is cached for such inputs.

    The compiled twin of the common path through `minigluon.ndarray.invoke`: the operator has one result and mutates
    nothing, and its inputs are contiguous arrays on one device. Kernels are found by comparing sizes and types with the
    last few, instead of by a key in a dictionary. new: creates an NDArray without initializing it; `result_class` of the
    first input's class, if it is not NDArray, is another class for the result. state: that of the tape.
    """
    cdef Signature signatures[MAX_SIGNATURES]
    cdef list kernels
    cdef object new, cls, state
    cdef bint takes_train
    cdef int next

    def __init__(self, cls, state, bint takes_train):
        self.new, self.cls, self.state = cls.__new__, cls, state
        self.takes_train = takes_train
        self.kernels, self.next = [], 0

    def remember(self, handles, bint training, Kernel kernel):
        """Use this kernel for such buffers from now on. Beyond MAX_SIGNATURES, the oldest one is dropped."""
        cdef Signature signature
        cdef int index, axis
        if len(handles) > MAX_OPERANDS or any(x.ndim > 8 for x in handles):
            return
        signature.count, signature.training = len(handles), training and self.takes_train
        for index, handle in enumerate(handles):
            signature.arrays[index].ndim, signature.arrays[index].type_number = handle.ndim, handle.dtype.num
            signature.arrays[index].shape_only = index in kernel.call.shape_only
            for axis, length in enumerate(handle.shape):
                signature.arrays[index].shape[axis] = length
        if len(self.kernels) < MAX_SIGNATURES:
            self.kernels.append(None)
        self.signatures[self.next], self.kernels[self.next] = signature, kernel
        self.next = (self.next + 1) % MAX_SIGNATURES

    def __call__(self, inputs):
        cdef list handles = []
        cdef Kernel kernel
        cdef int index
        context = None
        for x in inputs:
            if context is None:
                context = x.device
            elif x.device is not context:
                return None
            handle = x.buffer
            if not cnp.PyArray_Check(handle):
                return None
            handles.append(handle)
        cdef int training = self.takes_train and self.state.training
        for index in range(len(self.kernels)):
            if (self.signatures[index].count == len(handles) and self.signatures[index].training == training
                    and _matches(&self.signatures[index], handles)):
                kernel = self.kernels[index]
                cls = type(inputs[0])
                result = self.new(cls if cls is self.cls else getattr(cls, "result_class", self.cls))
                result.buffer = kernel.run(handles)
                result.device = context
                return result
        return None

    def into(self, inputs, out):
        """The same; writes to `out` and returns it if it is an array of the result's size and type.

        The result is computed first, so `out` may be one of the inputs.
        """
        cdef cnp.ndarray source, target
        result = self(inputs)
        if result is None or out.__class__ is not result.__class__ or out.device is not result.device:
            return result
        source, target = result.buffer, out.buffer
        if (cnp.PyArray_TYPE(source) != cnp.PyArray_TYPE(target) or cnp.PyArray_NDIM(source) != cnp.PyArray_NDIM(target)
                or not cnp.PyArray_CompareLists(source.shape, target.shape, cnp.PyArray_NDIM(source))
                or not cnp.PyArray_ISCARRAY(target)):
            return result
        memcpy(cnp.PyArray_DATA(target), cnp.PyArray_DATA(source), cnp.PyArray_NBYTES(source))
        out._count_write()
        return out
