"""Matrix products: fully connected layers, dot, batch_dot, linalg_gemm, and their gradients.

Every one of them is described by `Matrix` for its factors, and `product` gives the phase that multiplies them. Other
families may call `product` for their own arrays.
"""

import math
from typing import NamedTuple

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals

__all__ = ["Matrix", "fully_connected", "product"]

FEW = 8                     # so many rows or columns are a product that is bound by reading the other matrix
MACS = 2 ** 20              # multiplications: a part of some 20 microseconds
SHALLOW = 64                # depth of products that are bound by writing the result
READS = 2 ** 15             # numbers of a matrix that is read once
LEAST_COLUMNS = 256         # so many of them, since reading narrow strips is slow


class Matrix(NamedTuple):
    """A factor in memory: its place in io, how far apart neighbours are along rows, columns and batches, and its first
    element there.
    """

    place: int
    row: int
    column: int
    batch: int = 0
    first: int = 0

    @property
    def T(self):
        return self._replace(row=self.column, column=self.row)


def product(dtype, shape, depth, a, b, out, bias=-1, relu=False, batches=1, matrix=False, alpha=1.0, beta=0.0,
            out_first=0, bias_first=0):
    """The Phase for out (batches, rows, columns) = alpha · a · b + beta · c, in C order; shape is (rows, columns).

    a (rows, depth), b (depth, columns): Matrix. out: a place in io. bias: the place of one number for each column, or
    with matrix=True of c, which has the shape of out; -1 for none. out_first, bias_first: their first elements there.
    """
    rows, columns = shape
    if batches == 1 and alpha == 1 and not matrix:
        phase = _few(dtype, rows, columns, depth, a, b, out, bias, relu, out_first, bias_first)
        if phase is not None:
            return phase
    row_blocks, column_blocks = _blocks(batches, rows, columns, depth)
    items = batches * row_blocks * column_blocks if rows and columns else 0
    return Phase(
        "matrix_product", dtype, min(items, parts(batches * rows * columns * max(depth, 1), MACS)),
        a=a.place, b=b.place, c=bias, out=out, a_first=a.first, b_first=b.first, c_first=bias_first,
        out_first=out_first, batches=batches, rows=rows, columns=columns, depth=depth,
        a_batch=a.batch, a_row=a.row, a_depth=a.column, b_batch=b.batch, b_depth=b.row, b_column=b.column,
        row_blocks=row_blocks, column_blocks=column_blocks, relu=relu, has_matrix=matrix, alpha=alpha, beta=beta)


def _few(dtype, rows, columns, depth, a, b, out, bias, relu, out_first, bias_first):
    """The Phase for a product with few rows or columns, or None."""
    wide = (rows, columns, a, b, columns, 1, False)         # few rows of a, b is the matrix
    tall = (columns, rows, b.T, a.T, 1, columns, True)      # few columns of b, a is the matrix
    for few, many, short, large, out_few, out_many, bias_few in (wide, tall) if rows <= columns else (tall, wide):
        if 0 < few <= FEW and 1 in (large.row, large.column):
            along = large.row == 1 and (depth > 1 or large.column != 1)
            most = 64 if along else max(many // LEAST_COLUMNS, 1)
            return Phase(
                "few_dots" if along else "few_sums", dtype, parts(many * max(depth, 1), READS, most) if many else 0,
                few_at=short.place, many_at=large.place, bias_at=bias, out_at=out, few_first=short.first,
                many_first=large.first, bias_first=bias_first, out_first=out_first, few=few, many=many, depth=depth,
                few_step=short.row, few_depth=short.column, many_step=large.column if along else large.row,
                out_few=out_few, out_many=out_many, bias_few=bias_few, relu=relu)
    return None


def _blocks(batches, rows, columns, depth):
    """Into how many blocks of rows and of columns each product is divided.

    A block packs its rows and its columns for itself, so few large blocks are best, as long as each thread gets some.
    """
    work = batches * rows * columns * depth
    wanted = min(work // MACS, 8 if work >= 256 * MACS else 4)
    blocks = [max(-(-rows // 384), 1), max(columns // (2048 if depth <= SHALLOW else 512), 1)]
    while batches * blocks[0] * blocks[1] < wanted:
        sides = rows // blocks[0], columns // blocks[1]
        longer = sides[1] >= sides[0]
        if sides[longer] < 128:
            break
        blocks[longer] *= 2
    return blocks


# -- fully connected layers -------------------------------------------------------------------------------------------

@kernel_for("FullyConnected", "_fully_connected")
def fully_connected(op, inputs, outputs, activation=None):
    """data · weightᵀ + bias for data (rows, depth) and weight (columns, depth); activation: None or "relu"."""
    columns, depth = inputs[1].shape
    return reals(*inputs) or Call(product(
        inputs[0].dtype, (_rows(op, inputs[0]), columns), depth, Matrix(0, depth, 1), Matrix(1, 1, depth),
        out=len(inputs), bias=2 if len(inputs) > 2 else -1, relu=activation == "relu"))


def _rows(op, spec):
    return spec.shape[0] if op.flatten else math.prod(spec.shape[:-1])


@kernel_for("_fully_connected_data_grad")
def fully_connected_data_grad(op, inputs, outputs):
    """grad (rows, depth) · weight (depth, columns)."""
    depth, columns = inputs[1].shape
    return reals(*inputs) or Call(product(
        inputs[0].dtype, (_rows(op, inputs[0]), columns), depth, Matrix(0, depth, 1), Matrix(1, columns, 1), out=3))


@kernel_for("_fully_connected_weight_grad")
def fully_connected_weight_grad(op, inputs, outputs):
    """gradᵀ · data for grad (depth, rows) and data (depth, columns)."""
    rows, columns = outputs[0].shape
    return reals(*inputs) or Call(product(
        inputs[0].dtype, (rows, columns), _rows(op, inputs[0]), Matrix(0, 1, rows), Matrix(1, columns, 1), out=2))


# -- dot --------------------------------------------------------------------------------------------------------------

@kernel_for("dot")
def dot(op, inputs, outputs):
    (a, rows, depth), (b, columns) = _factors(op, 0, *inputs)
    return reals(*inputs) or Call(product(inputs[0].dtype, (rows, columns), depth, a, b, out=2))


@kernel_for("_dot_lhs_grad")
def dot_lhs_grad(op, inputs, outputs):
    """grad · rhsᵀ, or its transpose."""
    (_, rows, depth), (b, columns) = _factors(op, 1, *inputs[1:])
    grad = Matrix(0, columns, 1)
    if op.transpose_a:
        call = product(inputs[0].dtype, (depth, rows), columns, b, grad.T, out=3)
    else:
        call = product(inputs[0].dtype, (rows, depth), columns, grad, b.T, out=3)
    return reals(*inputs) or Call(call)


@kernel_for("_dot_rhs_grad")
def dot_rhs_grad(op, inputs, outputs):
    """lhsᵀ · grad, or its transpose."""
    (a, rows, depth), (_, columns) = _factors(op, 1, *inputs[1:])
    grad = Matrix(0, columns, 1)
    if op.transpose_b:
        call = product(inputs[0].dtype, (columns, depth), rows, grad.T, a, out=3)
    else:
        call = product(inputs[0].dtype, (depth, columns), rows, a.T, grad, out=3)
    return reals(*inputs) or Call(call)


def _factors(op, place, lhs, rhs):
    """(lhs as a Matrix, its rows, its columns), (rhs, its columns) as `dot` multiplies them; lhs is at this place."""
    depth = lhs.shape[0] if op.transpose_a else lhs.shape[-1]
    rows = math.prod(lhs.shape[1:] if op.transpose_a else lhs.shape[:-1])
    columns = math.prod(rhs.shape[:-1] if op.transpose_b else rhs.shape[1:])
    a = Matrix(place, 1, rows) if op.transpose_a else Matrix(place, depth, 1)
    b = Matrix(place + 1, 1, depth) if op.transpose_b else Matrix(place + 1, columns, 1)
    return (a, rows, depth), (b, columns)


# -- batches of matrices ----------------------------------------------------------------------------------------------

@kernel_for("batch_dot")
def batch_dot(op, inputs, outputs):
    return reals(*inputs) or Call(_batched(op, inputs))


@kernel_for("_linalg_gemm2")
def linalg_gemm2(op, inputs, outputs):
    return reals(*inputs) or _needs_columns(op, inputs) or Call(_batched(op, inputs, alpha=op.alpha))


@kernel_for("_linalg_gemm")
def linalg_gemm(op, inputs, outputs):
    return reals(*inputs) or _needs_columns(op, inputs) or Call(
        _batched(op, inputs, bias=2, matrix=True, alpha=op.alpha, beta=op.beta))


def _needs_columns(op, inputs):
    rank = len(inputs[0].shape)
    return None if op.axis % rank == rank - 2 else f"rows along axis {op.axis}"


def _batched(op, inputs, **more):
    """The Phase for op(lhs) · op(rhs) of the matrices in the last two axes."""
    lhs, rhs = inputs[0].shape, inputs[1].shape
    a, b = Matrix(0, lhs[-1], 1, lhs[-2] * lhs[-1]), Matrix(1, rhs[-1], 1, rhs[-2] * rhs[-1])
    rows, depth = lhs[-2:][::-1] if op.transpose_a else lhs[-2:]
    columns = rhs[-2] if op.transpose_b else rhs[-1]
    return product(inputs[0].dtype, (rows, columns), depth, a.T if op.transpose_a else a, b.T if op.transpose_b else b,
                   out=len(inputs), batches=math.prod(lhs[:-2]), **more)
