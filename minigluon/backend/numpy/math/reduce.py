"""Sums and other reductions over axes, and their gradients."""

import numpy as np

from ....ops.math.reduce import Reduce, _mean_weight, _spread_like, reduced_shape
from ....ops.numeric import sum_along
from ....ops.shapes import size_of
from ..table import kernel_for


@kernel_for(Reduce)
def reduction(op, inputs, outputs):
    data, axes = inputs[0], op.axes(len(inputs[0].shape))
    if op.ufunc is None or data.dtype.kind != "f" or data.dtype.itemsize < 4:
        return f"dtype {data.dtype}, which is summed in a wider type"
    fold = sum_along if op.ufunc is np.add else op.ufunc.reduce
    shape, divisor = reduced_shape(data.shape, axes, True), op.divisor(data, axes)

    def run(inputs, targets):
        fold(inputs[0], axes, None, targets[0].reshape(shape), True)
        if divisor is not None:
            np.divide(targets[0], divisor, targets[0])
    return run


@kernel_for(_spread_like)
def spread(op, inputs, outputs):
    like = inputs[1].shape
    shape = reduced_shape(like, op.axes(len(like)), True)
    return lambda inputs, targets: np.copyto(targets[0], inputs[0].reshape(shape))


@kernel_for(_mean_weight)
def mean_weight(op, inputs, outputs):
    value = np.array(size_of(inputs[1].shape) / max(size_of(inputs[0].shape), 1)).astype(inputs[0].dtype)
    return lambda inputs, targets: targets[0].fill(value)
