"""Linear algebra on matrices in the last two axes: products, triangles, and equations with triangular matrices."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.base import ArgumentError

from ....geometry import ghost
from ...launch import THREADS, Enqueue, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..gemm import Matrix, product
from ..movement import move
from ..registry import kernel_for
from ..transfers import download

__all__ = []

SOURCE = SourceFile("linalg/products.cu")
FLAG = Spec((1,), np.dtype("int32"))


# -- products ---------------------------------------------------------------------------------------------------------

@kernel_for("batch_dot")
def batch_dot(op, inputs, outputs, device):
    return _batched(op, inputs, outputs[0], device)


@kernel_for("_linalg_gemm2")
def linalg_gemm2(op, inputs, outputs, device):
    return _batched(op, inputs, outputs[0], device, alpha=op.alpha)


@kernel_for("_linalg_gemm")
def linalg_gemm(op, inputs, outputs, device):
    return _batched(op, inputs, outputs[0], device, alpha=op.alpha, added=In(2), by="matrix", beta=op.beta)


def _batched(op, inputs, out, device, **more):
    """The Work for op(A) · op(B), whose rows are along `row_axis` and columns along the last axis."""
    rank = len(out.shape)
    axis = op.row_axis % rank
    (a, batches), (b, _), (c, _) = (_matrix(operand, spec.shape, axis) for operand, spec in (
        (In(0), inputs[0]), (In(1), inputs[1]), (Out(0), out)))
    rows, depth = inputs[0].shape[axis], inputs[0].shape[-1]
    if op.transpose_a:
        a, rows, depth = a.T, depth, rows
    return product(out.dtype, rows, out.shape[-1], depth, a, b.T if op.transpose_b else b, c, device, batches=batches,
                   **more)


def _matrix(operand, shape, axis):
    """(Matrix, its batches before and behind the axis of rows) of an array."""
    outer, inner, columns = math.prod(shape[:axis]), math.prod(shape[axis + 1:-1]), shape[-1]
    step = inner * columns
    return Matrix(operand, step, 1, batch=(shape[axis] * step, columns)), (outer, inner)


@kernel_for("_linalg_syrk")
def linalg_syrk(op, inputs, outputs, device):
    rows, columns = inputs[0].shape[-2:]
    a = Matrix(In(0), columns, 1, batch=(rows * columns, 0))
    if op.transpose:
        a, rows, columns = a.T, columns, rows
    return product(inputs[0].dtype, rows, rows, columns, a, a.T, Matrix(Out(0), rows, 1, batch=(rows * rows, 0)),
                   device, batches=(math.prod(inputs[0].shape[:-2]), 1), alpha=op.alpha)


@kernel_for("_linalg_trmm")
def linalg_trmm(op, inputs, outputs, device):
    """The triangle goes to scratch memory, from where it is multiplied."""
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


# -- triangles --------------------------------------------------------------------------------------------------------

@kernel_for("_linalg_triangle")
def linalg_triangle(op, inputs, outputs):
    return Work(_triangle(inputs[0], Out(0), op.lower, op.diagonal)) if size(inputs[0]) else Work()


def _triangle(spec, out, lower, diagonal):
    return Launch(SOURCE, "triangle", types(spec.dtype), blocks(size(spec)), THREADS,
                  [out, In(0), size(spec), *spec.shape[-2:], int(lower), float(diagonal)])


@kernel_for("_linalg_transpose")
def linalg_transpose(op, inputs, outputs):
    shape = inputs[0].shape
    return Work(*move(inputs[0].dtype, In(0), np.swapaxes(ghost(shape), -1, -2), Out(0), ghost(outputs[0].shape)))


@kernel_for("_linalg_trsm")
def linalg_trsm(op, inputs, outputs, device):
    """A zero on a diagonal is an error, so the host waits for it to be looked for before the equations are solved."""
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
        # X · op(A) = B is op(A)ᵀ · Xᵀ = Bᵀ, whose unknowns are along the rows of X
        turned = op.transpose != op.rightside
        many, steps = (rows, (1, columns)) if op.rightside else (columns, (columns, 1))
        solving = [Launch(SOURCE, "solve_triangular", defines, blocks(count * many), THREADS,
                          [Out(0), In(0), In(1), count, n, many, *((1, n) if turned else (n, 1)), *steps,
                           int(op.lower != turned), float(op.alpha)])]
    return Work(*look, *solving, scratch=[FLAG])


def _refuse(op, device):
    """A function of the launcher's that raises ArgumentError if the flag is set."""
    def enqueue(stream, pointers):
        if download(device, stream, pointers[0], FLAG)[0]:
            raise ArgumentError(f"{op.name}: Singular matrix")
    return enqueue
