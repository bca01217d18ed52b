"""Matrix products fused with bias and relu in one kernel: cuBLASLt, which comes with cuBLAS.

Sums are never stored without their bias. As in cublas.py, our row-major matrices are transposed for the column-major
library: our bias value per column is the library's value per row, which its epilogues expect.
"""

import ctypes
import functools
import os
import threading
import weakref
from typing import NamedTuple

import numpy as np

from minigluon.base import MXNetError

from . import cublas, driver, paths
from .alignment import BYTES, WORKSPACE_BYTES, AlignedCopies, room, split_workspace
from .launcher import LibraryCall

__all__ = ["Plan", "available", "product"]

WORKSPACE = 32 * 2 ** 20            # the largest workspace in bytes; a plan requests as much as its algorithm needs

# Constants of the library's interface, from cublasLt.h.
TRANSPOSE_A, TRANSPOSE_B, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8           # cublasLtMatmulDescAttributes_t
MAX_WORKSPACE, MIN_ALIGNMENTS = 1, (5, 6, 7, 8)                         # cublasLtMatmulPreferenceAttributes_t
NOTHING, RELU, BIAS = 1, 2, 4                                           # cublasLtEpilogue_t; RELU | BIAS is valid
NOT_SUPPORTED = 15                                                      # cublasStatus_t

_int, _pointer, _size = ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t
SIGNATURES = {
    "cublasLtGetVersion": (_size, []), "cublasLtGetStatusString": (ctypes.c_char_p, [_int]),
    "cublasLtCreate": (_int, [_pointer]),
    "cublasLtMatmulDescCreate": (_int, [_pointer, _int, _int]),
    "cublasLtMatmulDescSetAttribute": (_int, [_pointer, _int, _pointer, _size]),
    "cublasLtMatmulDescDestroy": (_int, [_pointer]),
    "cublasLtMatrixLayoutCreate": (_int, [_pointer, _int, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_int64]),
    "cublasLtMatrixLayoutDestroy": (_int, [_pointer]),
    "cublasLtMatmulPreferenceCreate": (_int, [_pointer]),
    "cublasLtMatmulPreferenceSetAttribute": (_int, [_pointer, _int, _pointer, _size]),
    "cublasLtMatmulPreferenceDestroy": (_int, [_pointer]),
    "cublasLtMatmulAlgoGetHeuristic": (_int, [*[_pointer] * 7, _int, _pointer, _pointer]),
    "cublasLtMatmul": (_int, [*[_pointer] * 14, _size, _pointer]),
}

_lock = threading.Lock()
_handles = {}           # device id -> the library's handle, for all streams


class HeuristicResult(ctypes.Structure):
    """An algorithm proposed by the library: cublasLtMatmulHeuristicResult_t."""

    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("status", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]


class Plan(NamedTuple):
    """name: its description.

    enqueue: function(stream, addresses of A, B, the bias if any, C, and the workspace's memory if there is one).
    workspace: bytes of memory that it needs, or 0. calls, failed: as for `cublas.Product`.
    """

    name: str
    enqueue: object
    workspace: int
    calls: object
    failed: object


def available():
    """Returns None if cuBLASLt can be used, or a string that says why not."""
    if os.environ.get("MINIGLUON_CUBLASLT") == "0":
        return "MINIGLUON_CUBLASLT=0 switches it off"
    reason = cublas.available()
    if reason is None and loaded() is None:
        return "there is no cuBLASLt"
    return reason


def product(device, dtype, m, n, k, transpose_a=False, transpose_b=False, bias=False, relu=False):
    """Returns the Plan for C = A B, with a bias per column and relu if they are set, or a string that says why not.

    A (m, k), or (k, m) with transpose_a; B (k, n), or (n, k) with transpose_b; C (m, n), contiguous and row-major.
    Dtypes and precision are as in `cublas.product`.
    """
    reason = available()
    if reason:
        return reason
    kind = np.dtype(dtype).name
    if kind not in cublas.ELEMENTS or min(m, n, k) < 1 or max(m, n, k) > cublas.MAX_SIDE:
        return f"cuBLASLt has no products of {kind}, {m} x {k} and {k} x {n}"
    request = _MatmulRequest(device, kind, (m, n, k), (transpose_a, transpose_b), bias, relu)
    algorithm = request.algorithm()
    if algorithm is None:
        return "cuBLASLt has no algorithm for it"
    return request.plan(algorithm)


class _MatmulRequest:
    """A product in the library's terms: D = op(A) op(B), column-major, which is our C = A B with A and B exchanged."""

    def __init__(self, device, kind, sides, turned, bias, relu):
        m, n, k = sides
        self.device, self.kind, self.sides, self.bias = device, kind, sides, bias
        self.what = f"{kind} product of {m} x {k} and {k} x {n}"
        self.name = "cuBLASLt" + (", with" if bias or relu else "") + " and".join(
            [" bias"] * bias + [" relu"] * relu)
        element, compute = cublas.ELEMENTS[kind], cublas.computed_in(kind)
        self.product = self._object("MatmulDesc", compute, cublas.ELEMENTS["float64" if kind == "float64" else
                                                                           "float32"])
        for attribute, value in ((TRANSPOSE_A, turned[1]), (TRANSPOSE_B, turned[0]),
                                 (EPILOGUE, (BIAS if bias else 0) | (RELU if relu else 0) or NOTHING)):
            self._set(self.product, attribute, ctypes.c_int32(value))
        if bias:            # a stand-in address with the alignment of all arrays, which affects the choice
            self._set(self.product, BIAS_POINTER, ctypes.c_uint64(BYTES))
        shapes = ((k, n) if turned[1] else (n, k)), ((m, k) if turned[0] else (k, m)), (n, m)
        self.layouts = [self._object("MatrixLayout", element, rows, columns, rows) for rows, columns in shapes]

    def _object(self, kind, *arguments):
        """Returns one of the library's descriptors, which is destroyed with its last reference."""
        descriptor = _Descriptor()
        self._call(f"cublasLt{kind}Create", ctypes.byref(descriptor._as_parameter_), *arguments)
        destroy = getattr(loaded(), f"cublasLt{kind}Destroy")
        weakref.finalize(descriptor, destroy, descriptor._as_parameter_).atexit = False
        return descriptor

    def _set(self, descriptor, attribute, value, kind="MatmulDesc"):
        self._call(f"cublasLt{kind}SetAttribute", descriptor, attribute, ctypes.byref(value), ctypes.sizeof(value))

    def _call(self, name, *arguments):
        _check(self.device, self.what, name, getattr(loaded(), name)(*arguments))

    def algorithm(self):
        """Returns the library's first proposal for arrays at multiples of 16 bytes, or None."""
        wishes = self._object("MatmulPreference")
        self._set(wishes, MAX_WORKSPACE, ctypes.c_uint64(WORKSPACE), "MatmulPreference")
        for attribute in MIN_ALIGNMENTS:
            self._set(wishes, attribute, ctypes.c_uint32(BYTES), "MatmulPreference")
        proposal, count, (a, b, c) = HeuristicResult(), ctypes.c_int(), self.layouts
        name = "cublasLtMatmulAlgoGetHeuristic"
        status = getattr(loaded(), name)(_handle(self.device), self.product, a, b, c, c, wishes, 1,
                                         ctypes.byref(proposal), ctypes.byref(count))
        if status != NOT_SUPPORTED:
            _check(self.device, self.what, name, status)
        return proposal if status == 0 and count.value and proposal.status == 0 else None

    def plan(self, heuristic):
        m, n, k = self.sides
        scalar = ctypes.c_double if self.kind == "float64" else ctypes.c_float
        one, zero, dtype = scalar(1), scalar(0), np.dtype(self.kind)
        alpha, beta, algorithm = ctypes.byref(one), ctypes.byref(zero), ctypes.byref(heuristic)
        aligned = AlignedCopies(self.device, [((side,), dtype) for side in (m * k, k * n, *[n] * self.bias, m * n)])
        handle, call, lock = _handle(self.device), loaded().cublasLtMatmul, threading.Lock()
        (first, second, result), size, descriptor = self.layouts, heuristic.workspace, self.product

        def enqueue(stream, pointers):
            operands, workspace = split_workspace(pointers, size)

            def run(operands):
                a, b, *bias, c = operands
                if bias:
                    self._set(descriptor, BIAS_POINTER, ctypes.c_uint64(bias[0]))
                return call(handle, descriptor, alpha, b, first, a, second, beta, c, result, c, result, algorithm,
                            workspace, size, stream)
            with lock:          # the address of the bias is part of the descriptor
                status = aligned.run(stream, operands, run)
            if status:
                failed(status)

        def failed(status):
            _check(self.device, self.what, "cublasLtMatmul", status)
        calls = functools.partial(self._calls, alpha, beta, algorithm, size)
        return Plan(self.name, enqueue, room(size), calls, failed)

    def _calls(self, alpha, beta, algorithm, size, offsets):
        """Returns the LibraryCalls that set the address of the bias, if there is one, and multiply."""
        a, b, *bias, c = (("operand", k, offset) for k, offset in enumerate(offsets[:3 + self.bias]))
        workspace = ("multiple", 3 + self.bias, WORKSPACE_BYTES) if size else 0
        first, second, result = (layout._as_parameter_.value for layout in self.layouts)
        descriptor, function = self.product._as_parameter_.value, cublas.address_of(loaded().cublasLtMatmul)
        alpha, beta, algorithm = (ctypes.addressof(x._obj) for x in (alpha, beta, algorithm))
        stream = {stream: stream for stream in (self.device.stream_handle, self.device.capture_stream.handle)}
        calls = [LibraryCall(function, [
            _handle(self.device).value, descriptor, alpha, b, first, a, second, beta, c, result, c, result, algorithm,
            workspace, size, stream], self)]
        if bias:
            set_it = cublas.address_of(loaded().cublasLtMatmulDescSetAttribute)
            calls.insert(0, LibraryCall(set_it, [descriptor, BIAS_POINTER, ("place", *bias[0][1:]),
                                                 ctypes.sizeof(ctypes.c_uint64)]))
        return tuple(calls)


class _Descriptor:
    """The handle that ctypes passes in place of this object."""

    def __init__(self):
        self._as_parameter_ = ctypes.c_void_p()


def _handle(device):
    with _lock:
        if device.number not in _handles:
            device.activate()
            handle = ctypes.c_void_p()
            _check(device, "its start", "cublasLtCreate", loaded().cublasLtCreate(ctypes.byref(handle)))
            _handles[device.number] = handle
        return _handles[device.number]


def _check(device, what, name, status):
    if status:
        text = loaded().cublasLtGetStatusString(status).decode(errors="replace")
        raise driver.lost(device, f"cuBLASLt: {what}", f"{name}: {text}") or MXNetError(
            f"{device}: cuBLASLt: {what} failed in {name}: {text}. MINIGLUON_CUBLASLT=0 computes without it.")


@functools.cache
def loaded():
    """Returns the library of cuBLAS's major version, with its function types declared, or None."""
    loaded = paths.driver_version()
    for name in [*paths.libraries("cublasLt"), *(f"libcublasLt.so.{major}" for major in
                                                 range(cublas.NEWEST, cublas.OLDEST - 1, -1))]:
        major = int(name.rpartition(".")[2])
        if not cublas.OLDEST <= major <= min(cublas.NEWEST, loaded[0] if loaded else cublas.NEWEST):
            continue
        try:
            return declared(ctypes.CDLL(name))
        except OSError:
            continue
    return None


def declared(library):
    """Returns the library with its function types declared."""
    for name, (result, arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library
