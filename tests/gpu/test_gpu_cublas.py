"""What cuBLAS is asked for: a stand-in multiplies by columns, as cuBLAS's documentation says, from the same addresses.

cuBLAS itself runs on a real GPU only: there test_gpu_linear's products go through it.
"""

import ctypes

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")
from minigluon_accel.gpu import cublas, sticky

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
    assert cublas.available() == "there is no cuBLAS: pip install nvidia-cublas (more than 400 MB) brings it"
    monkeypatch.setattr(cublas.driver, "emulated", lambda: True)
    assert cublas.available() == "cuBLAS computes on a real GPU only, and this one is emulated"


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
    monkeypatch.setattr(cublas.driver, "lost", lambda *about: sticky.StickyError("lost", *about[1:]))
    with pytest.raises(sticky.StickyError) as failed:
        enqueue(42, [0, 0, 0])
    assert (failed.value.what, failed.value.reason) == ("cuBLAS: float32 product of 1 x 1 and 1 x 1",
                                                        "an internal cuBLAS operation failed")
