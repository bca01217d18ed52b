"""What cuBLAS is asked for: a stand-in multiplies by columns, as cuBLAS's documentation says, from the same addresses.

cuBLAS itself runs on a real GPU only: there test_gpu_matrix's products go through it.
"""

import ctypes

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from minigluon_accel.gpu import cublas, sticky_errors
from minigluon_accel.gpu.launcher import Buffer, EnqueueCall, LibraryCall, Program

from minigluon.base import MXNetError

KINDS = {0: np.float32, 1: np.float64, 2: np.float16}


class Memory:
    def empty(self, shape, dtype):
        self.given = np.empty(shape, dtype)
        self.given_pointer = self.given.ctypes.data
        return type("Buffer", (), {"pointer": self.given_pointer})


class Device:
    number, stream_handle = 7, 42

    def __init__(self):
        self.memory = Memory()
        self.capture_stream = type("Stream", (), {"handle": 43})

    def activate(self):
        pass

    def __str__(self):
        return "gpu(7)"


class Library:
    """The functions that are used, on the CPU's memory."""

    def __init__(self):
        self.calls, self.status, self.computed_in = [], 0, None

    def cublasCreate_v2(self, handle):
        self.calls.append("create")
        handle._obj.value = len(self.calls)
        return self.status

    def cublasSetStream_v2(self, handle, stream):
        self.calls.append(("stream", stream))
        return 0

    def cublasSetWorkspace_v2(self, handle, pointer, size):
        self.calls.append(("workspace", size))
        return 0

    def cublasGetStatusString(self, status):
        return b"an internal cuBLAS operation failed"

    def cublasGemmStridedBatchedEx(self, handle, turn_a, turn_b, m, n, k, alpha, a, type_a, row_a, stride_a, b, type_b,
                                   row_b, stride_b, beta, c, type_c, row_c, stride_c, batch, compute, algorithm):
        if self.status:
            return self.status
        assert algorithm == -1
        self.computed_in, self.handle = compute, handle.value
        scalar = ctypes.c_double if compute == 70 else ctypes.c_float
        alpha, beta = scalar.from_address(alpha).value, scalar.from_address(beta).value
        for i in range(batch):
            first = columns(a + i * stride_a * KINDS[type_a]().itemsize, KINDS[type_a], (m, k), turn_a, row_a)
            second = columns(b + i * stride_b * KINDS[type_b]().itemsize, KINDS[type_b], (k, n), turn_b, row_b)
            result = columns(c + i * stride_c * KINDS[type_c]().itemsize, KINDS[type_c], (m, n), 0, row_c)
            result[...] = alpha * (first @ second) + (beta * result if beta else 0)
        return 0


def columns(address, dtype, shape, turned, leading):
    """The matrix (rows, columns) at an address, stored by columns `leading` elements apart, or its transpose."""
    rows, count = shape[::-1] if turned else shape
    assert leading >= rows
    size = (leading * (count - 1) + rows) * dtype().itemsize
    flat = np.frombuffer((ctypes.c_char * size).from_address(address), dtype)
    matrix = np.lib.stride_tricks.as_strided(flat, (rows, count), (dtype().itemsize, leading * dtype().itemsize))
    return matrix.T if turned else matrix


@pytest.fixture
def library(monkeypatch):
    found = Library()
    monkeypatch.setattr(cublas, "_library", lambda: found)
    monkeypatch.setattr(cublas, "_handles", {})
    monkeypatch.setattr(cublas.driver, "emulated", lambda: False)
    monkeypatch.setattr(cublas.driver, "lost", lambda device, what, text: None)     # it is usable after an error
    for name in ("MINIGLUON_CUBLAS", "MINIGLUON_TF32"):
        monkeypatch.delenv(name, raising=False)
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("turn_a", [False, True])
@pytest.mark.parametrize("turn_b", [False, True])
@pytest.mark.parametrize("add", [False, True])
@pytest.mark.parametrize("batch", [1, 3])
def test_products_of_matrices_in_rows(library, dtype, turn_a, turn_b, add, batch):
    rng = np.random.default_rng(0)
    m, n, k = 4, 3, 5
    # Small integers: exact in every type, in any order.
    a, b, c = (rng.integers(-4, 5, (batch, *shape)).astype(dtype) for shape in ((m, k), (k, n), (m, n)))
    wanted = a @ b + (c if add else 0)
    stored_a, stored_b = (np.ascontiguousarray(x.swapaxes(1, 2)) if turn else x
                          for x, turn in ((a, turn_a), (b, turn_b)))
    enqueue = cublas.product(Device(), dtype, m, n, k, turn_a, turn_b, batch, (m * k, k * n, m * n), add)
    enqueue(42, [x.ctypes.data for x in (stored_a, stored_b, c)])
    np.testing.assert_array_equal(c, wanted)


def test_what_it_computes_in(library, monkeypatch):
    x = np.ones((2, 2))
    for dtype, tf32, number in (("float32", "0", 68), ("float32", "1", 77), ("float64", "1", 70), ("float16", "1", 68)):
        monkeypatch.setenv("MINIGLUON_TF32", tf32)
        cublas.product(Device(), dtype, 1, 1, 1)(42, [x.ctypes.data] * 3)
        assert library.computed_in == number


def test_one_handle_for_a_stream_which_takes_its_memory_last(library):
    device, x = Device(), np.ones((2, 2), np.float32)
    enqueue = cublas.product(device, "float32", 1, 1, 1)
    cublas.product(device, "float32", 2, 2, 2)
    assert library.calls == ["create", ("stream", 42), ("workspace", 32 * 2 ** 20),
                             "create", ("stream", 43), ("workspace", 32 * 2 ** 20)]
    for stream, handle in ((42, 1), (43, 4)):
        enqueue(stream, [x.ctypes.data] * 3)
        assert library.handle == handle


def test_reasons(library, monkeypatch):
    device = Device()
    assert cublas.product(device, "int32", 1, 1, 1) == "cuBLAS has no products of int32"
    assert cublas.product(device, "float32", 2, 3, 0) == "cuBLAS has no products of 2 x 0 and 0 x 3, 1 times"
    assert cublas.product(device, "float32", 2 ** 31, 1, 1) == (
        "cuBLAS has no products of 2147483648 x 1 and 1 x 1, 1 times")
    monkeypatch.setenv("MINIGLUON_CUBLAS", "0")
    assert cublas.product(device, "float32", 1, 1, 1) == "MINIGLUON_CUBLAS=0 switches it off"
    monkeypatch.delenv("MINIGLUON_CUBLAS")
    monkeypatch.setattr(cublas, "_library", lambda: None)
    assert cublas.available() == "there is no cuBLAS: install it with pip install nvidia-cublas (more than 400 MB)"
    monkeypatch.setattr(cublas.driver, "emulated", lambda: True)
    assert cublas.available() == "cuBLAS needs a real GPU, and this one is emulated"


def test_failures(library):
    enqueue = cublas.product(Device(), "float32", 3, 4, 5, batch=2, strides=(15, 20, 12))
    library.status = 14
    with pytest.raises(MXNetError) as failed:
        enqueue(42, [0, 0, 0])
    assert str(failed.value) == (
        "gpu(7): cuBLAS: float32 product of 3 x 5 and 5 x 4, 2 times failed: an internal cuBLAS operation failed. "
        "MINIGLUON_CUBLAS=0 computes products with our own kernels.")
    cublas._handles.clear()
    with pytest.raises(MXNetError, match=r"^gpu\(7\): cuBLAS: its start failed: an internal cuBLAS operation failed\."):
        cublas.product(Device(), "float32", 1, 1, 1)


def test_a_failure_that_the_device_does_not_recover_from(library, monkeypatch):
    enqueue = cublas.product(Device(), "float32", 1, 1, 1)
    library.status = 14
    monkeypatch.setattr(cublas.driver, "lost", lambda *about: sticky_errors.StickyError("lost", *about[1:]))
    with pytest.raises(sticky_errors.StickyError) as failed:
        enqueue(42, [0, 0, 0])
    assert (failed.value.what, failed.value.reason) == ("cuBLAS: float32 product of 1 x 1 and 1 x 1",
                                                        "an internal cuBLAS operation failed")


# -- calls without Python in between ----------------------------------------------------------------------------------


def run(enqueued, *arrays, stream=42):
    """As the launcher does it, on addresses of NumPy arrays."""
    buffers = [Buffer(x.ctypes.data, x.shape, x.dtype, x, None) for x in arrays]
    return Program([([enqueued], range(len(buffers)))], {}).run(buffers, 0, 1, stream)


def aligned(array, odd=0):
    """The same numbers from a multiple of 16 on, or `odd` elements behind one."""
    memory = np.zeros(array.size + 8, array.dtype)
    first = -memory.ctypes.data // array.itemsize % (16 // array.itemsize) + odd
    found = memory[first:first + array.size].reshape(array.shape)
    found[...] = array
    return found


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("odd", [0, 1])
def test_a_product_by_a_call_of_c(library, turned, odd):
    """Through C where operands begin at multiples of 16, else through Python. The library gets the same numbers."""
    asked, python = [], library.cublasGemmStridedBatchedEx

    def c_function(handle, *more):
        asked.append(handle)
        return python(ctypes.c_void_p(handle), *more)
    library.cublasGemmStridedBatchedEx = ctypes.CFUNCTYPE(ctypes.c_int, *cublas._GEMM)(c_function)
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, shape).astype("float32") for shape in ((4, 5), (5, 3)))
    stored = [aligned(x.T if turn else x, odd) for x, turn in zip((a, b), turned, strict=True)]
    out, plain = aligned(np.zeros((4, 3), "float32"), odd), []
    product = cublas.product(Device(), "float32", 4, 3, 5, *turned)
    enqueued = EnqueueCall(lambda stream, pointers: plain.append(1) or product.enqueue(stream, pointers), [0, 1, 2],
                           "x",
                           True, product.calls([0, 0, 0]), product.failed)
    for stream, handle in ((42, 1), (43, 4)):
        assert run(enqueued, *stored, out, stream=stream) == (0, None)
        np.testing.assert_array_equal(out, a @ b)
        assert asked.pop() == handle
    assert len(plain) == 2 * odd
    library.status = 14
    with pytest.raises(MXNetError, match="product of 4 x 5 and 5 x 3 failed: an internal cuBLAS operation failed"):
        run(enqueued, *stored, out)


def test_arguments_of_a_library_call():
    """Numbers with their sign, addresses and what lies behind them, places of addresses, and what is the stream's."""
    seen = []
    kinds = [ctypes.c_int, ctypes.c_longlong, *[ctypes.c_void_p] * 5, *[ctypes.c_int] * 17]

    @ctypes.CFUNCTYPE(ctypes.c_int, *kinds)
    def function(*values):
        seen.append([*values[:4], ctypes.c_size_t.from_address(values[4]).value, *values[5:]])
        return 0
    x = aligned(np.zeros(4, "float32"))
    call = LibraryCall(cublas.address_of(function), [
        -7, -2 ** 40, ("operand", 0, 0), ("operand", 0, 8), ("place", 0, 4), {42: 5, 43: 6}, ("multiple", 0, 256),
        *range(17)])
    for stream, its in ((42, 5), (43, 6)):
        assert run(EnqueueCall(None, [0], "x", True, [call], None), x, stream=stream) == (0, None)
        at = x.ctypes.data
        assert seen.pop() == [-7, -2 ** 40, at, at + 8, at + 4, its, -(-at // 256) * 256, *range(17)]
    with pytest.raises(ValueError, match="25 arguments, and a call takes 24"):
        LibraryCall(1, range(25))
