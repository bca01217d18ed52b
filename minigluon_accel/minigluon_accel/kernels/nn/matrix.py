"""Fully connected layers, dot, and their gradients: each defines which matrices it multiplies."""

from ...strides import dot_factors, layer_rows
from ..matrix_product import Matrix, product_call
from ..registry import kernel_for, reals

__all__ = ["layer"]


# -- fully connected layers -------------------------------------------------------------------------------------------

@kernel_for("FullyConnected", "_fully_connected")
def fully_connected(op, inputs, outputs):
    return layer(op, inputs)


def layer(op, inputs, relu=False):
    """Returns the Call for data (rows, depth) · weightᵀ (columns, depth) + bias and, if set, relu."""
    columns, depth = inputs[1].shape
    return reals(*inputs) or product_call(
        inputs[0].dtype, (layer_rows(op, inputs[0].shape), columns), depth, Matrix(0, depth, 1), Matrix(1, 1, depth),
        out=len(inputs), bias=2 if len(inputs) > 2 else -1, relu=relu)


@kernel_for("_fully_connected_data_grad")
def fully_connected_data_grad(op, inputs, outputs):
    """Returns the Call for grad (rows, depth) · weight (depth, columns)."""
    depth, columns = inputs[1].shape
    return reals(*inputs) or product_call(
        inputs[0].dtype, (layer_rows(op, inputs[0].shape), columns), depth, Matrix(0, depth, 1), Matrix(1, columns, 1),
        out=3)


@kernel_for("_fully_connected_weight_grad")
def fully_connected_weight_grad(op, inputs, outputs):
    """Returns the Call for gradᵀ · data, with grad (depth, rows) and data (depth, columns)."""
    rows, columns = outputs[0].shape
    return reals(*inputs) or product_call(
        inputs[0].dtype, (rows, columns), layer_rows(op, inputs[0].shape), Matrix(0, 1, rows), Matrix(1, columns, 1),
        out=2)


# -- dot --------------------------------------------------------------------------------------------------------------

@kernel_for("dot")
def dot(op, inputs, outputs):
    (a, rows, depth), (b, columns) = _factors(op, 0, *inputs)
    return reals(*inputs) or product_call(inputs[0].dtype, (rows, columns), depth, a, b, out=2)


@kernel_for("_dot_lhs_grad")
def dot_lhs_grad(op, inputs, outputs):
    """Returns the Call for grad · rhsᵀ, or its transpose."""
    if reason := reals(*inputs):
        return reason
    (_, rows, depth), (b, columns) = _factors(op, 1, *inputs[1:])
    grad = Matrix(0, columns, 1)
    if op.transpose_a:
        return product_call(inputs[0].dtype, (depth, rows), columns, b, grad.T, out=3)
    return product_call(inputs[0].dtype, (rows, depth), columns, grad, b.T, out=3)


@kernel_for("_dot_rhs_grad")
def dot_rhs_grad(op, inputs, outputs):
    """Returns the Call for lhsᵀ · grad, or its transpose."""
    if reason := reals(*inputs):
        return reason
    (a, rows, depth), (_, columns) = _factors(op, 1, *inputs[1:])
    grad = Matrix(0, columns, 1)
    if op.transpose_b:
        return product_call(inputs[0].dtype, (columns, depth), rows, grad.T, a, out=3)
    return product_call(inputs[0].dtype, (depth, columns), rows, a.T, grad, out=3)


def _factors(op, place, lhs, rhs):
    """Returns (lhs as a Matrix, its rows, its columns), (rhs, its columns) for `dot`. place: the index of lhs."""
    (rows, depth, columns), a, b = dot_factors(op, lhs.shape, rhs.shape)
    return (Matrix(place, *a), rows, depth), (Matrix(place + 1, *b), columns)
