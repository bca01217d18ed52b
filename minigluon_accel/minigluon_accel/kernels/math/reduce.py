"""Reductions over axes: sum, mean, max, ..., and the adjoint, which broadcasts over them."""

import math

from .. import programs
from ..movement import fill
from ..reductions import DIVIDED, reduce
from ..registry import kernel_for, size


@kernel_for("sum", "prod", "max", "min", "nansum", "nanprod")
def reduction(op, inputs, outputs):
    return reduce(op.name, inputs, op.axes(len(inputs[0].shape)), outputs[0])


@kernel_for("_square_sum")
def square_sum(op, inputs, outputs):
    return reduce("square", inputs, op.axes(len(inputs[0].shape)), outputs[0])


@kernel_for("mean")
def mean(op, inputs, outputs):
    shape = inputs[0].shape
    axes = op.axes(len(shape))
    return reduce("sum", inputs, axes, outputs[0], DIVIDED, math.prod(shape[a] for a in axes))


@kernel_for("_mean_weight")
def mean_weight(op, inputs, outputs):
    return fill(outputs[0], size(inputs[1]) / max(size(inputs[0]), 1), 2)


@kernel_for("_spread_like")
def spread(op, inputs, outputs):
    return programs.stretch(inputs, spread_shape(op, outputs[0].shape), outputs[0])


def spread_shape(op, like):
    """Returns the shape of the reduced array, in which reduced axes have length 1."""
    axes = op.axes(len(like))
    return tuple(1 if a in axes else n for a, n in enumerate(like))
