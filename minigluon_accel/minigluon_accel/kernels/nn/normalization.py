"""Batch normalization and its gradient; LayerNorm, InstanceNorm, GroupNorm, L2Normalization and LRN."""

import math

from minigluon.backend import Spec
from minigluon.ops.nn.batch_norm import channels_shape

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


def _batch_norm(op, data, relu, eps=0.0, momentum=0.0):
    """(are channels the last axis, the fields, number of pieces of rows, or parts of channels)"""
    outer, channels, inner = channels_shape(data.shape, op.axis)
    settings = {"fix_gamma": op.fix_gamma, "relu": relu, "eps": eps, "momentum": momentum}
    pieces = max(parts(size(data)), 1)
    if inner == 1 and channels > 1:
        return True, {"rows": outer, "channels": channels, "pieces": pieces, **settings}, pieces
    return False, {"outer": outer, "channels": channels, "inner": inner, **settings}, pieces


@kernel_for("BatchNorm", "_contrib_BatchNormWithReLU", "_contrib_SyncBatchNorm")
def batch_norm(op, inputs, outputs, train):
    data, channels = inputs[0], size(inputs[1])
    declined = reals(*inputs, *outputs)
    if declined:
        return declined
    batch = train and not op.use_global_stats
    last, fields, pieces = _batch_norm(op, data, op.name == "_contrib_BatchNormWithReLU", op.eps, op.momentum)

    def phase(name, count):
        return Phase(name, data.dtype, count, **fields)

    if last and batch:
        return Call(*(phase(f"batch_norm_last_{step}", pieces) for step in ("sums", "squares", "train")),
                    scratch=[Spec((pieces, channels), data.dtype)] * 2)
    if last:
        return Call(phase("batch_norm_last_predict", pieces), writes_inputs=False)
    if batch:
        return Call(phase("batch_norm_train", max(min(pieces, channels), 1)))
    return Call(phase("batch_norm_predict", max(min(pieces, fields["outer"] * channels), 1)), writes_inputs=False)


@kernel_for("_batch_norm_grad")
def batch_norm_grad(op, inputs, outputs):
    data, channels = inputs[1], size(inputs[2])
    declined = reals(*inputs, *outputs)
    if declined:
        return declined
    last, fields, pieces = _batch_norm(op, data, False)
    if last:
        return Call(Phase("batch_norm_last_grad_sums", data.dtype, pieces, **fields),
                    Phase("batch_norm_last_grad", data.dtype, pieces, **fields),
                    scratch=[Spec((pieces, channels), data.dtype)] * 2)
    return Call(Phase("batch_norm_grad", data.dtype, max(min(pieces, channels), 1), **fields))


@kernel_for("LayerNorm", "InstanceNorm", "GroupNorm")
def moments(op, inputs, outputs):
    declined = reals(*inputs, *outputs)
    if declined:
        return declined
    shape, axis, _ = op.arranged(inputs[0].shape)
    if math.prod(shape[axis + 1:]) != 1:
        return f"axis {op.axis}"
    rows = math.prod(shape[:axis])
    groups = 0 if op.name == "LayerNorm" else size(inputs[1])
    return Call(Phase("moments", inputs[0].dtype, min(max(parts(2 * size(inputs[0])), 1), rows), rows=rows,
                      count=shape[axis], groups=groups, eps=op.eps))


@kernel_for("L2Normalization")
def l2_normalization(op, inputs, outputs):
    shape = inputs[0].shape
    first, last = {"instance": (1, len(shape)), "channel": (1, 2), "spatial": (2, len(shape))}[op.mode]
    outer, count, inner = math.prod(shape[:first]), math.prod(shape[first:last]), math.prod(shape[last:])
    return reals(*inputs, *outputs) or Call(Phase(
        "l2_normalization", inputs[0].dtype, min(max(parts(2 * size(inputs[0])), 1), outer), outer=outer, count=count,
        inner=inner, eps=op.eps))


def _neighbours(kernel, op, data, **numbers):
    outer, channels, inner = channels_shape(data.shape, 1)
    return reals(data) or Call(Phase(
        kernel, data.dtype, min(parts(4 * size(data)), outer * channels), outer=outer, channels=channels, inner=inner,
        reach=(op.nsize - 1) // 2, **numbers))


@kernel_for("LRN")
def lrn(op, inputs, outputs):
    return _neighbours("lrn", op, inputs[0], alpha=op.alpha / op.nsize, beta=op.beta, knorm=op.knorm)


@kernel_for("_sum_neighbours")
def sum_neighbours(op, inputs, outputs):
    return _neighbours("sum_neighbours", op, inputs[0], alpha=0.0, beta=0.0, knorm=0.0)
