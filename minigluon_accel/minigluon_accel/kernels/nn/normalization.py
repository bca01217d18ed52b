"""LayerNorm and its gradient, InstanceNorm, GroupNorm, L2Normalization and LRN."""

import math

import numpy as np

from minigluon.backend import Spec
from minigluon.ops.shapes import around

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("LayerNorm", "InstanceNorm", "GroupNorm")
def moments(op, inputs, outputs):
    reason = reals(*inputs, *outputs)
    if reason:
        return reason
    shape, axis, _ = op.arranged(inputs[0].shape)
    if math.prod(shape[axis + 1:]) != 1:
        return f"axis {op.axis}"
    rows = math.prod(shape[:axis])
    groups = 0 if op.name == "LayerNorm" else size(inputs[1])
    return Call(Phase("moments", inputs[0].dtype, min(max(parts(2 * size(inputs[0])), 1), rows), rows=rows,
                      count=shape[axis], groups=groups, eps=op.eps))


MAX_PIECES = 16         # the maximum number of pieces of the rows, each with its own sums


@kernel_for("_layer_norm_grad")
def layer_norm_grad(op, inputs, outputs):
    data, reason = inputs[1], reals(*inputs, *outputs)
    if reason:
        return reason
    rows, count, inner = around(data.shape, op.axis)
    if inner != 1:
        return f"axis {op.axis}"
    pieces = max(min(parts(4 * size(data)), rows, MAX_PIECES), 1)
    return Call(Phase("layer_norm_grad", data.dtype, pieces, rows=rows, count=count),
                Phase("layer_norm_sums", data.dtype, max(parts(pieces * count), 1), pieces=pieces, count=count),
                scratch=[Spec((pieces, 2, count), np.dtype("float64"))])


@kernel_for("L2Normalization")
def l2_normalization(op, inputs, outputs):
    shape = inputs[0].shape
    first, last = {"instance": (1, len(shape)), "channel": (1, 2), "spatial": (2, len(shape))}[op.mode]
    outer, count, inner = math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])
    return reals(*inputs, *outputs) or Call(Phase(
        "l2_normalization", inputs[0].dtype, min(max(parts(2 * size(inputs[0])), 1), outer), outer=outer, count=count,
        inner=inner, eps=op.eps))


def _neighbours(kernel, op, data, **numbers):
    outer, channels, inner = around(data.shape, 1)
    return reals(data) or Call(Phase(
        kernel, data.dtype, min(parts(4 * size(data)), outer * channels), outer=outer, channels=channels, inner=inner,
        reach=(op.nsize - 1) // 2, **numbers))


@kernel_for("LRN")
def lrn(op, inputs, outputs):
    return _neighbours("lrn", op, inputs[0], alpha=op.alpha / op.nsize, beta=op.beta, knorm=op.knorm)


@kernel_for("_sum_neighbours")
def sum_neighbours(op, inputs, outputs):
    return _neighbours("sum_neighbours", op, inputs[0], alpha=0.0, beta=0.0, knorm=0.0)
