"""Sums, products, extremes and means over axes, and their gradient operators."""

import math

import numpy as np

from ....strides import collapse, row_major
from ...launch import MAX_DIMS, THREADS, TYPES, In, Launch, Out, SourceFile, Work, blocks, dims, size
from ..reductions import copied, ctype, filled, reduce
from ..registry import kernel_for

__all__ = []

STATISTICS_SOURCE = SourceFile("math/statistics.cu")


@kernel_for("sum", "prod", "max", "min")
def reduction(op, inputs, outputs):
    return reduce(inputs[0], op.axes(len(inputs[0].shape)), outputs[0], op.name)


@kernel_for("nansum", "nanprod")
def without_nan(op, inputs, outputs):
    join, take = ("sum", "nan_as_0") if op.name == "nansum" else ("prod", "nan_as_1")
    return reduce(inputs[0], op.axes(len(inputs[0].shape)), outputs[0], join, take)


@kernel_for("_square_sum")
def square_sum(op, inputs, outputs):
    return reduce(inputs[0], op.axes(len(inputs[0].shape)), outputs[0], "sum", "squared_in_type")


@kernel_for("mean")
def mean(op, inputs, outputs):
    data = inputs[0]
    axes = op.axes(len(data.shape))
    count = math.prod(data.shape[a] for a in axes)
    if data.dtype.kind != "f":
        return reduce(data, axes, outputs[0], "sum", finish="truncated", number=count, among=np.float64)
    return reduce(data, axes, outputs[0], "sum", finish="divided", number=count)


@kernel_for("_spread_like")
def spread_like(op, inputs, outputs):
    shape = outputs[0].shape
    axes = op.axes(len(shape))
    return copied(inputs[0], outputs[0], tuple(1 if a in axes else n for a, n in enumerate(shape)))


@kernel_for("_mean_weight")
def mean_weight(op, inputs, outputs):
    return filled(outputs[0], size(inputs[1]) / max(size(inputs[0]), 1))


@kernel_for("_prod_others")
def prod_others(op, inputs, outputs):
    """Processes lines along the reduced axes in order; one thread handles each line, first forward and then
    backward."""
    shape, count = inputs[0].shape, size(outputs[0])
    if not count:
        return Work()
    axes, strides = op.axes(len(shape)), row_major(shape)
    others = [a for a in range(len(shape)) if a not in axes]
    arguments = [count // math.prod(shape[a] for a in axes), math.prod(shape[a] for a in axes)]
    for some in others, axes:
        lengths, (steps,) = collapse([shape[a] for a in some], [[strides[a] for a in some]])
        if len(lengths) > MAX_DIMS:
            return f"{len(lengths)} dimensions that cannot be joined"
        arguments += [len(lengths), dims(lengths), dims(steps)]
    defines = {"T": ctype(inputs[0].dtype), "A": TYPES[inputs[0].dtype.name][1]}
    return Work(Launch(STATISTICS_SOURCE, "prod_others", {**defines, "TO": defines["T"]}, blocks(arguments[0]),
                       THREADS, [In(0), Out(0), *arguments, int(op.skip_nan)]))
