"""Matrix products and fully connected layers: one product each, and an in-place addition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.nn.matrix import (
    LONG_DEPTH,
    FullyConnected,
    _dot_lhs_grad,
    _dot_rhs_grad,
    _FullyConnectedAdjoint,
    dot,
    matrix_product,
)
from ....ops.shapes import size_of
from ..table import forward_of, kernel_for

if TYPE_CHECKING:
    from ....common.types import DType
    from ....ops.op import Op


@forward_of(FullyConnected)
def fully_connected_forward(op: Op, *dtypes: DType) -> Callable[..., Any]:
    """Computes the most common case, matrices with short rows, directly, because each further call would cost time."""
    compute = op.forward

    def forward(data, weight, bias=None):
        if data.ndim != 2 or weight.shape[1] > LONG_DEPTH:
            return compute(data, weight, bias)
        out = data.dot(weight.T)
        if bias is not None:
            rows = out[0] if out.shape[0] == 1 else out     # adding equal shapes is faster than broadcasting
            rows += bias
        return out
    return forward


@kernel_for(FullyConnected)
def fully_connected(op, inputs, outputs):
    """Returns the kernel, which uses no temporary array."""
    count = size_of(outputs[0].shape[:-1])
    rows, out_rows = (count, inputs[1].shape[1]), (count, op.num_hidden)
    are_matrices = inputs[0].shape == rows and len(outputs[0].shape) == 2
    one_row, biased = count == 1, not op.no_bias
    multiply = matrix_product if rows[1] > LONG_DEPTH else np.ndarray.dot

    def run(inputs, targets):
        data, out = inputs[0], targets[0]
        if not are_matrices:
            data, out = data.reshape(rows), out.reshape(out_rows)
        multiply(data, inputs[1].T, out)
        if biased:
            if one_row:
                out = out.ravel()           # adding equal shapes is faster than broadcasting
            np.add(out, inputs[2], out)
    return run


@kernel_for(_FullyConnectedAdjoint)
def fully_connected_adjoint(op, inputs, outputs):
    product, rows = op.product, op.rows
    if all(len(spec.shape) == 2 for spec in (*inputs[:2], *outputs)):
        return lambda inputs, targets: product(inputs[0], inputs[1], targets[0])
    return lambda inputs, targets: product(rows(inputs[0]), rows(inputs[1]), rows(targets[0]))


# `dot` passes a transposed matrix to BLAS without a copy. Arrays of other ranks are computed by `forward`.

def _are_matrices(specs):
    return all(len(spec.shape) == 2 for spec in specs)


@kernel_for(dot)
def dot_product(op, inputs, outputs):
    if not _are_matrices(inputs):
        return "arrays that are not matrices"
    turn_a, turn_b = op.transpose_a, op.transpose_b

    def run(inputs, targets):
        lhs, rhs = inputs
        matrix_product(lhs.T if turn_a else lhs, rhs.T if turn_b else rhs, targets[0])
    return run


@kernel_for(_dot_lhs_grad)
def dot_lhs_grad(op, inputs, outputs):
    if not _are_matrices(inputs):
        return "arrays that are not matrices"
    turned = not op.transpose_b             # whether rhs is the transpose of the product's factor
    if op.transpose_a:
        return lambda inputs, targets: matrix_product(
            inputs[2] if turned else inputs[2].T, inputs[0].T, targets[0])
    return lambda inputs, targets: matrix_product(inputs[0], inputs[2].T if turned else inputs[2], targets[0])


@kernel_for(_dot_rhs_grad)
def dot_rhs_grad(op, inputs, outputs):
    if not _are_matrices(inputs):
        return "arrays that are not matrices"
    turned = not op.transpose_a
    if op.transpose_b:
        return lambda inputs, targets: matrix_product(
            inputs[0].T, inputs[1] if turned else inputs[1].T, targets[0])
    return lambda inputs, targets: matrix_product(inputs[1].T if turned else inputs[1], inputs[0], targets[0])
