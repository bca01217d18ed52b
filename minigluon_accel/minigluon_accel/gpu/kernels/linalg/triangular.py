"""Triangles of matrices, products with them, and triangular systems of equations."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.base import ArgumentError

from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..gemm import Matrix, product
from ..registry import kernel_for
from ..transfers import download

__all__ = []

SOURCE = SourceFile("linalg/triangular.cu")
FLAG = Spec((1,), np.dtype("int32"))


@kernel_for("_linalg_trmm")
def linalg_trmm(op, inputs, outputs, device):
    """Copies the triangle to scratch memory and multiplies it from there."""
    A, B = inputs
    n, rows, columns, count = A.shape[-1], *B.shape[-2:], math.prod(A.shape[:-2])
    triangle = Matrix(Scratch(0), n, 1, batch=(n * n, 0))
    triangle = triangle.T if op.transpose else triangle
    b, out = (Matrix(operand, columns, 1, batch=(rows * columns, 0)) for operand in (In(1), Out(0)))
    left, right = (b, triangle) if op.rightside else (triangle, b)
    work = product(A.dtype, rows, columns, n, left, right, out, device, batches=(count, 1), alpha=op.alpha, scratch=1)
    if not work.launches:
        return work
    return Work(_triangle(A, Scratch(0), op.lower, 1.0), *work.launches, scratch=[A, *work.scratch])


@kernel_for("_linalg_triangle")
def linalg_triangle(op, inputs, outputs):
    return Work(_triangle(inputs[0], Out(0), op.lower, op.diagonal)) if size(inputs[0]) else Work()


def _triangle(spec, out, lower, diagonal):
    return Launch(SOURCE, "triangle", types(spec.dtype), blocks(size(spec)), THREADS,
                  [out, In(0), size(spec), *spec.shape[-2:], int(lower), float(diagonal)])


@kernel_for("_linalg_trsm")
def linalg_trsm(op, inputs, outputs, device):
    """Waits for a check of the diagonal before solving the equations, because a zero there is an error."""
    A, B = inputs
    n, count = A.shape[-1], math.prod(A.shape[:-2])
    rows, columns = B.shape[-2:]
    if not size(A):
        return Work()
    defines, checked = types(A.dtype), Scratch(0)
    look = [Launch(SOURCE, "clear", defines, 1, 1, [checked]),
            Launch(SOURCE, "find_zero", defines, blocks(count * n), THREADS, [checked, In(0), count, n]),
            Enqueue("looking for zeros on the diagonal", _refuse(op, device), [checked], replayable=False)]
    solving = []
    if size(B):
        # X · op(A) = B is op(A)ᵀ · Xᵀ = Bᵀ, whose unknowns are along the rows of X.
        turned = op.transpose != op.rightside
        many, steps = (rows, (1, columns)) if op.rightside else (columns, (columns, 1))
        solving = [Launch(SOURCE, "solve_triangular", defines, blocks(count * many), THREADS,
                          [Out(0), In(0), In(1), count, n, many, *((1, n) if turned else (n, 1)), *steps,
                           int(op.lower != turned), float(op.alpha)])]
    return Work(*look, *solving, scratch=[FLAG])


def _refuse(op, device):
    """Returns a function for the launcher that raises ArgumentError if the flag is set."""
    def enqueue(stream, pointers):
        if download(device, stream, pointers[0], FLAG)[0]:
            raise ArgumentError(f"{op.name}: Singular matrix")
    return enqueue
