"""Normalization over the axes of one item. One kernel computes a line's mean, variance and result."""

import math

from minigluon.ops.shapes import around

from ...launch import THREADS, TYPES, In, Launch, Out, SourceFile, Work, blocks, size
from ..reductions import ctype, filled, steps_of, stepwise, transform, wide
from ..registry import kernel_for

SOURCE = SourceFile("nn/normalization.cu")


def _defines(data):
    return {"T": ctype(data.dtype), "A": ctype(wide(data.dtype))}


@kernel_for("LayerNorm", "InstanceNorm", "GroupNorm")
def moments(op, inputs, outputs):
    """Returns the Work for lines along the axis of `arranged`; gamma and beta vary along this axis, or per channel."""
    if not size(outputs[1]):
        return Work()
    shape, axis, _ = op.arranged(inputs[0].shape)
    channels = 0 if op.name == "LayerNorm" else shape[1]
    return Work(transform(SOURCE, "normalize", _defines(inputs[0]), around(shape, axis),
                          [In(0), In(1), In(2), Out(0), Out(1), Out(2), channels, float(op.eps)]))


@kernel_for("_layer_norm_grad")
def layer_norm_grad(op, inputs, outputs):
    """Returns steps over all lines for gamma and beta, then a launch along lines for data, which may overwrite grad."""
    data = inputs[1]
    if not size(outputs[1]):
        return Work()
    if not size(data):
        return Work(*[launch for k in (1, 2) for launch in filled(outputs[k], 0, Out(k)).launches])
    lines = _, places, inner = around(data.shape, op.axis)
    defines = _defines(data)
    sums, scratch = stepwise(
        SOURCE, defines, steps_of(lines, (0, 2)), 2 * wide(data.dtype).itemsize,
        [In(0), In(1), In(3), In(4), Out(1), Out(2), places, inner], prefix="place_gradients")
    flow = transform(SOURCE, "normalize_grad", defines, lines,
                     [In(0), In(1), In(2), In(3), In(4), Out(0), places])
    return Work(*sums, flow, scratch=scratch)


@kernel_for("L2Normalization")
def by_norm(op, inputs, outputs):
    if not size(outputs[1]):
        return Work()
    n, c, *space = inputs[0].shape
    lines = {"instance": (n, c * math.prod(space), 1), "channel": (n, c, math.prod(space)),
             "spatial": (n * c, math.prod(space), 1)}[op.mode]
    return Work(transform(SOURCE, "by_norm", _defines(inputs[0]), lines,
                          [In(0), Out(0), Out(1), float(op.eps)]))


def _along_channels(function, op, inputs, more=(), **defines):
    data = inputs[0]
    if not size(data):
        return Work()
    _, channels, inner = around(data.shape, 1)
    return Work(Launch(SOURCE, function, {**_defines(data), **defines}, blocks(size(data)), THREADS,
                       [In(0), Out(0), size(data), channels, inner, (op.nsize - 1) // 2, *more]))


@kernel_for("LRN")
def lrn(op, inputs, outputs):
    return _along_channels("respond_locally", op, inputs, [float(op.knorm), op.alpha / op.nsize, float(op.beta)])


@kernel_for("_sum_neighbours")
def sum_neighbours(op, inputs, outputs):
    dtype = inputs[0].dtype
    return _along_channels("sum_neighbours", op, inputs, **({"S": TYPES[dtype.name][1]} if dtype.kind in "iub" else {}))
