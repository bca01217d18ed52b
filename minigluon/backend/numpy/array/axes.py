"""Kernels that permute axes."""

from ....ops.array.axes import SwapAxis, fill_moved, transpose
from ..table import kernel_for


@kernel_for(transpose)
def transposed(op, inputs, outputs):
    order = op.order(len(inputs[0].shape))
    return lambda inputs, targets: fill_moved(targets[0], inputs[0].transpose(order))


@kernel_for(SwapAxis)
def swapped(op, inputs, outputs):
    return lambda inputs, targets: fill_moved(targets[0], inputs[0].swapaxes(op.dim1, op.dim2))
