"""Anchor targets (see `csrc/vision/multibox_target.c`), and boxes from anchors (see `csrc/vision/boxes.c`)."""

from ...engine import Call, Phase
from ..registry import kernel_for, reals


@kernel_for("_contrib_MultiBoxDetection")
def detection(op, inputs, outputs):
    images, classes, anchors = inputs[0].shape
    if classes < 2:
        return "no class but the background"
    return reals(*inputs) or Call(Phase(
        "multibox_detection", inputs[0].dtype, min(images, 64) if anchors else 0, images=images, classes=classes,
        anchors=anchors, clip=int(op.clip), any_kind=int(op.force_suppress),
        suppresses=int(0 < op.nms_threshold <= 1), topk=max(op.nms_topk, 0), threshold=op.threshold,
        overlap=op.nms_threshold, variances=op.variances))


@kernel_for("_contrib_MultiBoxTarget")
def target(op, inputs, outputs):
    _, anchors, _ = inputs[0].shape
    images, objects, width = inputs[1].shape
    if op.negative_mining_ratio > 0:
        return "mining"                     # the result depends on the order of the probabilities, which rounding would
                                            # change
    return reals(*inputs) or Call(Phase(
        "multibox_target", inputs[0].dtype, min(images, 64) if anchors else 0, images=images, anchors=anchors,
        objects=objects, width=width, threshold=op.overlap_threshold, ignored=op.ignore_label,
        variances=op.variances))
