"""Fully connected layers, dot, and their gradients: each defines which matrices it multiplies."""

from ....strides import dot_factors, layer_rows
from ...launch import In, Out
from ..gemm import Matrix, product
from ..registry import kernel_for

__all__ = ["layer"]


# -- fully connected layers -------------------------------------------------------------------------------------------

@kernel_for("FullyConnected", "_fully_connected")
def fully_connected(op, inputs, outputs, device):
    return layer(op, inputs, device)


def layer(op, inputs, device, relu=False):
    """Returns the Work for data (rows, depth) · weightᵀ (columns, depth) + bias and, if set, relu."""
    columns, depth = inputs[1].shape
    biased = len(inputs) > 2
    return product(inputs[0].dtype, layer_rows(op, inputs[0].shape), columns, depth, Matrix(In(0), depth, 1),
                   Matrix(In(1), 1, depth), Matrix(Out(0), columns, 1), device, added=In(2) if biased else None,
                   by="column" if biased else None, relu=relu)


@kernel_for("_fully_connected_data_grad")
def fully_connected_data_grad(op, inputs, outputs, device):
    """Returns the Work for grad (rows, depth) · weight (depth, columns)."""
    depth, columns = inputs[1].shape
    return product(inputs[0].dtype, layer_rows(op, inputs[0].shape), columns, depth, Matrix(In(0), depth, 1),
                   Matrix(In(1), columns, 1), Matrix(Out(0), columns, 1), device)


@kernel_for("_fully_connected_weight_grad")
def fully_connected_weight_grad(op, inputs, outputs, device):
    """Returns the Work for gradᵀ · data, with grad (depth, rows) and data (depth, columns)."""
    rows, columns = outputs[0].shape
    return product(inputs[0].dtype, rows, columns, layer_rows(op, inputs[0].shape), Matrix(In(0), 1, rows),
                   Matrix(In(1), columns, 1), Matrix(Out(0), columns, 1), device)


# -- dot --------------------------------------------------------------------------------------------------------------

@kernel_for("dot")
def dot(op, inputs, outputs, device):
    (a, rows, depth), (b, columns) = _factors(op, 0, *inputs)
    return product(inputs[0].dtype, rows, columns, depth, a, b, Matrix(Out(0), columns, 1), device)


@kernel_for("_dot_lhs_grad")
def dot_lhs_grad(op, inputs, outputs, device):
    """Returns the Work for grad · rhsᵀ, or its transpose."""
    (_, rows, depth), (b, columns) = _factors(op, 1, *inputs[1:])
    grad, dtype = Matrix(In(0), columns, 1), inputs[0].dtype
    if op.transpose_a:
        return product(dtype, depth, rows, columns, b, grad.T, Matrix(Out(0), rows, 1), device)
    return product(dtype, rows, depth, columns, grad, b.T, Matrix(Out(0), depth, 1), device)


@kernel_for("_dot_rhs_grad")
def dot_rhs_grad(op, inputs, outputs, device):
    """Returns the Work for lhsᵀ · grad, or its transpose."""
    (a, rows, depth), (_, columns) = _factors(op, 1, *inputs[1:])
    grad, dtype = Matrix(In(0), columns, 1), inputs[0].dtype
    if op.transpose_b:
        return product(dtype, columns, depth, rows, grad.T, a, Matrix(Out(0), depth, 1), device)
    return product(dtype, depth, columns, rows, a.T, grad, Matrix(Out(0), columns, 1), device)


def _factors(op, place, lhs, rhs):
    """Returns (lhs as a Matrix, its rows, its columns), (rhs, its columns) for `dot`. place: the index of input lhs."""
    (rows, depth, columns), a, b = dot_factors(op, lhs.shape, rhs.shape)
    return (Matrix(In(place), *a), rows, depth), (Matrix(In(place + 1), *b), columns)
