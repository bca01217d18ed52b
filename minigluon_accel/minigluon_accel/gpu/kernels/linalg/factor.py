"""Factorizations, inverses and determinants: one thread block per matrix."""

import math

import numpy as np

from minigluon import symbol as sym
from minigluon.backend import Spec
from minigluon.base import ArgumentError
from minigluon.name import NameManager

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..compose import work_of_graph
from ..registry import kernel_for
from ..transfers import download

SOURCE = SourceFile("linalg/factor.cu")
ORTHOGONAL_SOURCE = SourceFile("linalg/factor_orthogonal.cu")
SUMS_SOURCE = SourceFile("linalg/factor_sums.cu")
_FLAG = np.dtype("int32")


def _launch(source, function, spec, batch, arguments):
    return Launch(source, function, types(spec.dtype), blocks(batch, 1), THREADS, arguments)


def _checked(op, message, flags, spec, device):
    """Returns an Enqueue that raises LAPACK's error as NumPy does, if a kernel has set a matrix's flag.

    It waits for the kernel, because the reference also raises its error immediately.
    """
    def enqueue(stream, addresses):
        if download(device, stream, addresses[0], spec).any():
            raise ArgumentError(f"{op.name}: {message}")
    return Enqueue(f"the result of {op.name}", enqueue, [flags], replayable=False)


def _batch(spec):
    return math.prod(spec.shape[:-2])


def _guarded(op, source, function, message, inputs, results, work, device):
    """Returns a Work with one kernel(results, A, scratch of Specs `work`, flags, batch, n) and a check of its flags."""
    A = inputs[0]
    batch, flags = _batch(A), Scratch(len(work))
    if not batch:
        return Work()
    scratch = [*work, Spec((batch,), _FLAG)]
    return Work(_launch(source, function, A, batch, [*results, In(0), *[Scratch(k) for k in range(len(work))], flags,
                                                     batch, A.shape[-1]]),
                _checked(op, message, flags, scratch[-1], device), scratch=scratch)


def _turned(A):
    """Returns the transposes of a Symbol's matrices, which turn upper triangles into lower triangles."""
    return sym._linalg_transpose(A)


@kernel_for("_linalg_potrf")
def potrf(op, inputs, outputs, train, rng, device):
    if not op.lower:
        A = sym.var("in0")
        with NameManager():
            results = [_turned(sym.linalg_potrf(_turned(A)))]
        return work_of_graph(op, [A], results, inputs, outputs, (train, rng, device))
    return _guarded(op, SOURCE, "potrf", "Matrix is not positive definite", inputs, [Out(0)], [], device)


@kernel_for("_linalg_potri")
def potri(op, inputs, outputs, train, rng, device):
    if not op.lower:
        A = sym.var("in0")
        with NameManager():
            results = [sym.linalg_potri(_turned(A))]
        return work_of_graph(op, [A], results, inputs, outputs, (train, rng, device))
    return _guarded(op, SOURCE, "potri", "Singular matrix", inputs, [Out(0)], [inputs[0]], device)


@kernel_for("_linalg_inverse")
def inverse(op, inputs, outputs, device):
    return _guarded(op, SOURCE, "inverse", "Singular matrix", inputs, [Out(0)], [inputs[0]], device)


@kernel_for("_linalg_syevd")
def syevd(op, inputs, outputs, device):
    n = inputs[0].shape[-1]
    work = Spec((_batch(inputs[0]), 2 * n * n + 2 * n), np.dtype("float64"))
    return _guarded(op, ORTHOGONAL_SOURCE, "syevd", "Eigenvalues did not converge", inputs,
                    [Out(0), Out(1)], [work], device)


@kernel_for("_linalg_det", "_linalg_slogdet")
def determinant(op, inputs, outputs):
    A, batch, whole = inputs[0], _batch(inputs[0]), len(outputs) == 1
    if not batch:
        return Work()
    return Work(_launch(SOURCE, "determinant", A, batch,
                        [Out(0), Out(0 if whole else 1), In(0), Scratch(0), batch, A.shape[-1], np.bool_(whole)]),
                scratch=[A])


@kernel_for("_linalg_gelqf")
def gelqf(op, inputs, outputs):
    A, batch = inputs[0], _batch(inputs[0])
    if not batch or not A.shape[-2]:
        return Work()
    return Work(_launch(ORTHOGONAL_SOURCE, "gelqf", A, batch, [
        Out(0), Out(1), In(0), Scratch(0), Scratch(1), batch, *A.shape[-2:]]), scratch=[A, Spec(A.shape[:-1], A.dtype)])


@kernel_for("_linalg_sumlogdiag")
def sumlogdiag(op, inputs, outputs):
    A, batch = inputs[0], _batch(inputs[0])
    if not batch:
        return Work()
    return Work(_launch(SUMS_SOURCE, "sumlogdiag", A, batch, [Out(0), In(0), batch, *A.shape[-2:]]))


@kernel_for("_linalg_inner")
def inner(op, inputs, outputs):
    A, batch = inputs[0], _batch(inputs[0])
    if not batch:
        return Work()
    return Work(_launch(SUMS_SOURCE, "inner", A, batch,
                        [Out(0), In(0), In(1), batch, math.prod(A.shape[-2:])]))


@kernel_for("_linalg_scale")
def scale(op, inputs, outputs):
    A, count = inputs[0], size(inputs[0])
    if not count:
        return Work()
    return Work(Launch(SUMS_SOURCE, "scale", types(A.dtype), blocks(count), THREADS,
                       [Out(0), In(0), In(1), count, math.prod(A.shape[-2:])]))
