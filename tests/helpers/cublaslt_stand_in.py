"""A stand-in of cuBLASLt, which counts down the columns: see `c_stand_in`."""

import ctypes
from types import SimpleNamespace

import numpy as np
from minigluon_accel.gpu import cublaslt
from minigluon_accel.gpu.compile import prepare
from minigluon_accel.gpu.kernels.gemm import Matrix, product
from minigluon_accel.gpu.launch import In, Out, Scratch

from helpers.c_stand_in import CStandIn, fill, need, run_on
from helpers.gpu_checks import backend

__all__ = ["LtStandIn"]

# From cublasLt.h, not from the code under test.
INVALID, NOT_SUPPORTED = 7, 15
TYPES = {0: "float32", 1: "float64", 2: "float16"}
COMPUTES = {"float32": (68, 77), "float64": (70,), "float16": (68,)}
SIZES = {"MatmulDesc": {3: 4, 4: 4, 7: 4, 8: 8}, "MatmulPreference": {1: 8, 5: 4, 6: 4, 7: 4, 8: 4}}
EPILOGUES = {1: (False, False), 2: (False, True), 4: (True, False), 6: (True, True)}     # with a bias, with relu


class LtStandIn(CStandIn):
    """workspace: what the one algorithm needs. none: has it no algorithm?"""

    failed = 14

    def __init__(self, workspace=256):
        self.objects, self.workspace, self.none, self.kernels = {}, workspace, False, {}
        super().__init__(cublaslt.SIGNATURES, ["cublasLtGetStatusString"])

    @staticmethod
    def cublasLtGetStatusString(status):
        return f"status {status}".encode()

    def method(self, name):
        for kind in SIZES:
            if name == f"cublasLt{kind}SetAttribute":
                return lambda *values: self._set(kind, *values)
        return self._destroy if name.endswith("Destroy") else getattr(self, name)

    def cublasLtGetVersion(self):
        return 120903

    def cublasLtCreate(self, handle):
        ctypes.c_void_p.from_address(handle).value = 77
        self.calls.append("create")

    def cublasLtMatmulDescCreate(self, place, compute, scale):
        need(compute in (68, 70, 77) and scale == (1 if compute == 70 else 0), INVALID, "types")
        self._add(place, kind="MatmulDesc", compute=compute)

    def cublasLtMatrixLayoutCreate(self, place, dtype, rows, columns, leading):
        need(dtype in TYPES and min(rows, columns) > 0 and leading >= rows, INVALID, "layout")
        self._add(place, kind="MatrixLayout", dtype=TYPES[dtype], rows=rows, columns=columns, leading=leading)

    def cublasLtMatmulPreferenceCreate(self, place):
        self._add(place, kind="MatmulPreference")

    def _add(self, place, **values):
        number = 1 + max(self.objects, default=0)
        self.objects[number] = SimpleNamespace(attributes={}, **values)
        ctypes.c_void_p.from_address(place).value = number

    def _object(self, number, kind):
        found = self.objects.get(number)
        need(found is not None and found.kind == kind, INVALID, f"not a {kind}, or a destroyed one")
        return found

    def _destroy(self, number):
        need(number in self.objects, INVALID, "no such object")
        del self.objects[number]

    def _set(self, kind, number, attribute, value, size):
        need(value and SIZES[kind].get(attribute) == size, INVALID, "attribute")
        self._object(number, kind).attributes[attribute] = int.from_bytes(ctypes.string_at(value, size), "little")

    def cublasLtMatmulAlgoGetHeuristic(self, handle, what, a, b, c, d, wishes, count, founds, came):
        need(handle == 77 and count == 1, INVALID, "handle or count")
        wishes = self._object(wishes, "MatmulPreference").attributes
        need(wishes[1] >= self.workspace and {wishes[n] for n in (5, 6, 7, 8)} == {16}, NOT_SUPPORTED, "wishes")
        self._checked(what, a, b, c, d)
        found = cublaslt.HeuristicResult.from_address(founds)
        found.algorithm[0], found.workspace, found.status = 4711, self.workspace, 0
        ctypes.c_int.from_address(came).value = 0 if self.none else 1

    def cublasLtMatmul(self, handle, what, alpha, a, first, b, second, beta, c, third, d, fourth, algorithm, workspace,
                       size, stream):
        what, x, y, out = self._checked(what, first, second, third, fourth)
        scalar = ctypes.c_double if out.dtype == "float64" else ctypes.c_float
        need((scalar.from_address(alpha).value, scalar.from_address(beta).value) == (1, 0), INVALID, "alpha, beta")
        need(ctypes.c_uint64.from_address(algorithm).value == 4711, INVALID, "algorithm")
        need(size >= self.workspace and (workspace or not self.workspace), INVALID, "workspace")
        need(not (workspace or 0) % 256, INVALID, "a misaligned workspace")
        bias = what.attributes[8] if EPILOGUES[what.attributes[7]][0] else None
        need(not any(pointer % 16 for pointer in (a, b, c, d, bias or 0)), INVALID, "misaligned")
        self.calls.append((what.compute, EPILOGUES[what.attributes[7]], (out.rows, out.columns), what.attributes[3],
                           what.attributes[4], stream))
        for pointer, count in ((workspace, size), (d, out.rows * out.columns * np.dtype(out.dtype).itemsize)):
            if count:
                fill(stream, pointer, count, 0xFF)
        run_on(stream, self._kernels(what, x, y, out), [a, b, bias or a, d])

    def _checked(self, what, *layouts):
        """(description, A, B, D)."""
        what, (a, b, c, d) = self._object(what, "MatmulDesc"), [self._object(x, "MatrixLayout") for x in layouts]
        need(a.dtype == b.dtype == c.dtype == d.dtype and what.compute in COMPUTES[d.dtype], NOT_SUPPORTED, "types")
        need(what.attributes[7] in EPILOGUES, INVALID, "epilogue")
        (m, k), (depth, n) = ((x.columns, x.rows) if what.attributes[turned] else (x.rows, x.columns)
                              for x, turned in ((a, 3), (b, 4)))
        need((m, n, k) == (d.rows, d.columns, depth) and (c.rows, c.columns) == (m, n), INVALID, "shapes")
        return what, a, b, d

    def _kernels(self, what, a, b, d):
        """The project's plain kernel for what the descriptors say."""
        biased, relu = EPILOGUES[what.attributes[7]]
        turned = what.attributes[3], what.attributes[4]
        depth = a.rows if turned[0] else a.columns
        key = d.dtype, d.rows, d.columns, depth, turned, biased, relu
        if key not in self.kernels:
            x, y, out = (Matrix(operand, 1, layout.leading) for operand, layout in
                         ((In(0), a), (In(1), b), (Out(0), d)))
            work = product(d.dtype, d.rows, d.columns, depth, x.T if turned[0] else x, y.T if turned[1] else y, out,
                           backend().device, added=In(2) if biased else None, by="row" if biased else None, relu=relu,
                           way="plain")
            places = {In: 0, Out: 3, Scratch: 4}
            self.kernels[key] = [prepare(backend().device, launch, places) for launch in work.launches]
        return self.kernels[key]
