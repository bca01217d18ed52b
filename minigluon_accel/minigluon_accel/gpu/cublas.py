"""Matrix products with cuBLAS (from pip's nvidia-cublas or a toolkit), on the device's own stream and in its context.

cuBLAS is column-major, and this framework is row-major. A row-major matrix is its transpose in column-major order, and
(A B)^T = B^T A^T, so we request the product of B and A, with the rows and columns of the result exchanged.

Nothing here runs on the emulated GPU, whose memory is the CPU's memory; there, the project's own kernels multiply.
"""

import ctypes
import functools
import os
import threading
from typing import NamedTuple

import numpy as np

from minigluon.base import MXNetError

from . import driver, paths
from .launcher import LibraryCall

__all__ = ["Product", "address_of", "available", "computed_in", "product", "version"]

OLDEST, NEWEST = 12, 13             # major versions that have the functions declared below
WORKSPACE = 32 * 2 ** 20            # bytes, as NVIDIA recommends for the newest GPUs. With less memory, results are the
                                    # same but take longer
MAX_SIDE = 2 ** 31 - 1               # the maximum length of a side, because the functions take C ints

# Constants of the library's interface, from library_types.h and cublas_api.h.
NO_TRANSPOSE, TRANSPOSE = 0, 1
DEFAULT_ALGORITHM = -1
ELEMENTS = {"float32": 0, "float64": 1, "float16": 2}
IN_FLOAT32, IN_FLOAT64, IN_TF32 = 68, 70, 77        # compute types of products

_int, _long, _pointer = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p
_GEMM = [_pointer, _int, _int, _int, _int, _int, _pointer,          # handle, two transpositions, m, n, k, alpha
         _pointer, _int, _int, _long, _pointer, _int, _int, _long,  # A, its type, row length, stride; B
         _pointer, _pointer, _int, _int, _long, _int, _int, _int]   # beta; C; batch count, compute type, algorithm

_lock = threading.Lock()
_handles = {}           # device id -> ({stream: handle}, their workspace)


def available():
    """Returns None if cuBLAS can be used, or a string that says why not."""
    if driver.emulated():
        return "cuBLAS needs a real GPU, and this one is emulated"
    if os.environ.get("MINIGLUON_CUBLAS") == "0":
        return "MINIGLUON_CUBLAS=0 switches it off"
    if _library() is None:
        return "there is no cuBLAS: install it with pip install nvidia-cublas (more than 400 MB)"
    return None


def version():
    """Returns a string such as 'cuBLAS 13.1.0' if it is available."""
    parts = []
    for part in range(3):               # major, minor, patch level
        number = _int()
        _library().cublasGetProperty(part, ctypes.byref(number))
        parts.append(str(number.value))
    return "cuBLAS " + ".".join(parts)


def product(device, dtype, m, n, k, transpose_a=False, transpose_b=False, batch=1, strides=(0, 0, 0), add=False):
    """Returns a Product that enqueues C = A B, or C += A B, or a string that says why there is none.

    a, b, c: addresses of contiguous row-major matrices: A (m, k), or (k, m) with transpose_a; B (k, n), or (n, k) with
    transpose_b; C (m, n). batch: the number of products; strides: the number of elements from one A, B, C to the next.
    Float32 is computed in float32, or, with MINIGLUON_TF32=1, on tensor cores from factors rounded to 10 bits; float16
    is summed in float32.
    """
    reason = available()
    if reason:
        return reason
    kind = np.dtype(dtype).name
    if kind not in ELEMENTS:
        return f"cuBLAS has no products of {kind}"
    if min(m, n, k, batch) < 1 or max(m, n, k, batch) > MAX_SIDE:
        return f"cuBLAS has no products of {m} x {k} and {k} x {n}, {batch} times"
    scalar = ctypes.c_double if kind == "float64" else ctypes.c_float
    one, beta = scalar(1), scalar(1 if add else 0)
    compute, element = computed_in(kind), ELEMENTS[kind]
    row_a, row_b = (m if transpose_a else k), (k if transpose_b else n)
    turned_a, turned_b = int(transpose_a), int(transpose_b)         # TRANSPOSE is 1
    stride_a, stride_b, stride_c = strides
    handles, call = _handles_of(device), _library().cublasGemmStridedBatchedEx
    what = f"{kind} product of {m} x {k} and {k} x {n}" + (f", {batch} times" if batch > 1 else "")

    def enqueue(stream, pointers):
        a, b, c = pointers
        status = call(handles[stream], turned_b, turned_a, n, m, k, ctypes.addressof(one),
                      b, element, row_b, stride_b, a, element, row_a, stride_a,
                      ctypes.addressof(beta), c, element, n, stride_c, batch, compute, DEFAULT_ALGORITHM)
        if status:
            raise _failure(device, what, status)

    def calls(offsets):
        (a, b, c), function = (("operand", k, offset) for k, offset in enumerate(offsets)), address_of(call)
        return function and (LibraryCall(function, [
            {stream: handle.value for stream, handle in handles.items()}, turned_b, turned_a, n, m, k,
            ctypes.addressof(one), b, element, row_b, stride_b, a, element, row_a, stride_a, ctypes.addressof(beta), c,
            element, n, stride_c, batch, compute, DEFAULT_ALGORITHM], (one, beta)),)

    def failed(status):
        raise _failure(device, what, status)
    return Product(enqueue, calls, failed)


class Product(NamedTuple):
    """enqueue: function(stream, [a, b, c]).

    calls(offsets): the same work as a list of LibraryCalls, with operands at these byte offsets from the addresses.
    failed(status): raises the error of such a call.
    """

    enqueue: object
    calls: object
    failed: object

    def __call__(self, stream, pointers):
        self.enqueue(stream, pointers)


def address_of(function):
    """Returns the address of a C function, or None for a test double, which has no address."""
    try:
        return ctypes.cast(function, ctypes.c_void_p).value
    except ctypes.ArgumentError:
        return None


def computed_in(kind):
    """Returns the library's constant for the compute type of products with a dtype."""
    if kind == "float64":
        return IN_FLOAT64
    return IN_TF32 if kind == "float32" and os.environ.get("MINIGLUON_TF32") == "1" else IN_FLOAT32


def _handles_of(device):
    """Returns {stream: the library's handle for it}, for the device's own stream and the graph capture stream.

    The two share 32 MiB on the device: graphs are launched on the device's own stream, so their work never overlaps.
    """
    with _lock:
        if device.number not in _handles:
            device.activate()
            workspace = device.memory.empty((WORKSPACE,), np.dtype("uint8"))
            streams = device.stream_handle, device.capture_stream.handle
            _handles[device.number] = {stream: _handle(device, stream, workspace) for stream in streams}, workspace
        return _handles[device.number][0]


def _handle(device, stream, workspace):
    library, handle = _library(), _pointer()
    _check(device, "its start", library.cublasCreate_v2(ctypes.byref(handle)))
    _check(device, "taking a stream", library.cublasSetStream_v2(handle, stream))
    # Set the workspace after the stream, which would reset it. By default, cuBLAS allocates during graph capture.
    _check(device, "taking memory", library.cublasSetWorkspace_v2(handle, workspace.pointer, WORKSPACE))
    return handle


def _check(device, what, status):
    if status:
        raise _failure(device, what, status)


def _failure(device, what, status):
    text = _library().cublasGetStatusString(status).decode(errors="replace")
    return driver.lost(device, f"cuBLAS: {what}", text) or MXNetError(
        f"{device}: cuBLAS: {what} failed: {text}. MINIGLUON_CUBLAS=0 computes products with our own kernels.")


@functools.cache
def _library():
    """Returns the library that fits the driver, with its function types declared, or None."""
    loaded = paths.driver_version()
    names = [*paths.libraries("cublas"), *(f"libcublas.so.{major}" for major in range(NEWEST, OLDEST - 1, -1))]
    for name in names:
        major = int(name.rpartition(".")[2])
        if not OLDEST <= major <= min(NEWEST, loaded[0] if loaded else NEWEST):
            continue
        try:
            return _declared(ctypes.CDLL(name))
        except OSError:
            continue
    return None


def _declared(library):
    library.cublasGetStatusString.restype = ctypes.c_char_p
    library.cublasCreate_v2.argtypes = [_pointer]
    library.cublasSetStream_v2.argtypes = [_pointer, _pointer]
    library.cublasSetWorkspace_v2.argtypes = [_pointer, _pointer, ctypes.c_size_t]
    library.cublasGemmStridedBatchedEx.argtypes = _GEMM
    return library
