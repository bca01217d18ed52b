"""Matrix products over the last two axes."""

import math

import numpy as np

from ....strides import placeholder
from ...launch import In, Out, Work
from ..gemm import Matrix, product
from ..movement import move
from ..registry import kernel_for

__all__ = []


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
    """Returns the Work for op(A) · op(B), with rows along `row_axis` and columns along the last axis."""
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
    """Returns (Matrix, sizes of the batches before and after the row axis) of an array."""
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


@kernel_for("_linalg_transpose")
def linalg_transpose(op, inputs, outputs):
    shape = inputs[0].shape
    return Work(*move(inputs[0].dtype, In(0), np.swapaxes(placeholder(shape), -1, -2), Out(0),
                      placeholder(outputs[0].shape)))
