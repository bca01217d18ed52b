"""Batched products: batch_dot, linalg_gemm and linalg_gemm2."""

import math

from ..matrix_product import Matrix, product_call
from ..registry import kernel_for, reals


@kernel_for("batch_dot")
def batch_dot(op, inputs, outputs):
    return reals(*inputs) or _batched(op, inputs)


@kernel_for("_linalg_gemm2")
def linalg_gemm2(op, inputs, outputs):
    return reals(*inputs) or _needs_columns(op, inputs) or _batched(op, inputs, alpha=op.alpha)


@kernel_for("_linalg_gemm")
def linalg_gemm(op, inputs, outputs):
    return reals(*inputs) or _needs_columns(op, inputs) or _batched(
        op, inputs, bias=2, matrix=True, alpha=op.alpha, beta=op.beta)


def _needs_columns(op, inputs):
    rank = len(inputs[0].shape)
    return None if op.axis % rank == rank - 2 else f"rows along axis {op.axis}"


def _batched(op, inputs, **more):
    """Returns the Call for op(lhs) · op(rhs) of the matrices in the last two axes."""
    lhs, rhs = inputs[0].shape, inputs[1].shape
    a, b = Matrix(0, lhs[-1], 1, lhs[-2] * lhs[-1]), Matrix(1, rhs[-1], 1, rhs[-2] * rhs[-1])
    rows, depth = lhs[-2:][::-1] if op.transpose_a else lhs[-2:]
    columns = rhs[-2] if op.transpose_b else rhs[-1]
    return product_call(inputs[0].dtype, (rows, columns), depth, a.T if op.transpose_a else a,
                        b.T if op.transpose_b else b, out=len(inputs), batches=math.prod(lhs[:-2]), **more)
