"""Operators that end a network with softmax: the result, and a gradient that uses the labels."""

import math

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..movement import fill
from ..registry import kernel_for, parts, reals, size
from .softmax import EXP, by_rows


@kernel_for("SoftmaxOutput")
def softmax_output(op, inputs, outputs):
    return reals(inputs[0], outputs[0]) or by_rows("softmax_output", inputs[0], op.rows_shape(inputs[0].shape))


@kernel_for("_softmax_output_grad")
def softmax_output_grad(op, inputs, outputs):
    reason = reals(*inputs, *outputs)
    if reason:
        return reason
    if inputs[0].shape == inputs[1].shape:
        return "label of probabilities"
    items, classes, places = op.rows_shape(inputs[0].shape)
    if size(inputs[1]) != items * places:
        return "more labels than items"
    divided = 1 if op.normalization == "valid" else places * (items if op.normalization == "batch" else 1)
    return Call(Phase(
        "softmax_output_grad", inputs[0].dtype, min(parts(size(inputs[0])), items), items=items, classes=classes,
        places=places, use_ignore=op.use_ignore, valid=op.normalization == "valid", ignore=op.ignore_label,
        scale=op.grad_scale / max(divided, 1), hit=1 - op.smooth_alpha, miss=op.smooth_alpha / max(1, classes - 1)))


@kernel_for("softmax_cross_entropy")
def softmax_cross_entropy(op, inputs, outputs):
    reason = reals(*inputs, *outputs)
    rows, classes = inputs[0].shape
    if reason or not classes:
        return reason or "no classes"
    return Call(Phase("cross_entropy_rows", inputs[0].dtype, min(parts(EXP * rows * classes), rows), rows=rows,
                      classes=classes),
                Phase("cross_entropy_sum", inputs[0].dtype, 1, rows=rows, classes=classes),
                scratch=[Spec((rows,), inputs[0].dtype)])


@kernel_for("_item_weight")
def item_weight(op, inputs, outputs):
    return fill(outputs[0], 1 / max(1, math.prod(inputs[0].shape[1:])), 1)
