"""Pairs of boxes, and encoding and decoding of box offsets (see `csrc/vision/boxes_pairs.c`)."""

import math

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size


@kernel_for("_contrib_box_iou")
def box_iou(op, inputs, outputs):
    n, m = (math.prod(spec.shape[:-1]) for spec in inputs)
    return reals(*inputs) or Call(Phase("box_iou", inputs[0].dtype, min(parts(8 * n * m), n), n=n, m=m,
                                        centered=int(op.format == "center")))


@kernel_for("_contrib_box_decode")
def box_decode(op, inputs, outputs):
    batch, n, _ = inputs[0].shape
    return reals(*inputs) or Call(Phase(
        "box_decode", inputs[0].dtype, min(parts(4 * size(inputs[0])), batch * n), batch=batch, n=n,
        centered=int(op.format == "center"), stds=(op.std0, op.std1, op.std2, op.std3), limit=op.clip))


@kernel_for("_contrib_box_encode")
def box_encode(op, inputs, outputs):
    batch, n, _ = inputs[2].shape
    m = inputs[3].shape[1]
    if not m:
        return "no boxes"
    return reals(*inputs) or Call(Phase(
        "box_encode", inputs[0].dtype, min(parts(4 * size(inputs[2])), batch * n), batch=batch, n=n, m=m))
