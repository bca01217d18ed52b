"""Anchors, their training targets, and boxes from predictions. Suppression is shared with box_nms."""

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..reductions import wide
from ..registry import kernel_for
from .box_nms import Rows, too_many

__all__ = []

SOURCE = SourceFile("vision/multibox.cu", fmad=False)     # see vision/boxes.cuh
MAX_SHAPES = 64             # the maximum number of anchors at a position, as in vision/multibox.cu


def _launch(function, dtype, threads, arguments):
    return Launch(SOURCE, function, types(dtype), blocks(threads), THREADS, arguments)


@kernel_for("_contrib_MultiBoxPrior")
def prior(op, inputs, outputs):
    h, w = inputs[0].shape[2:]
    halves = op.half_sizes(h / max(w, 1))
    if len(halves) > MAX_SHAPES:
        return f"{len(halves)} anchors at a place"
    total = size(outputs[0]) // 4
    if not total:
        return Work()
    steps = [step if step > 0 else 1 / n for step, n in zip(op.steps, (h, w), strict=True)]
    room = np.zeros((MAX_SHAPES, 2), np.float32)
    room[:len(halves)] = halves
    return Work(_launch("prior", outputs[0].dtype, total, [
        Out(0), total, w, len(halves), *map(float, steps), *map(float, op.offsets), int(op.clip), room]))


@kernel_for("_contrib_MultiBoxTarget")
def target(op, inputs, outputs):
    anchor, label, scores = inputs
    (_, anchors, _), (images, m, width) = anchor.shape, label.shape
    total, among = images * anchors, np.dtype(wide(anchor.dtype))
    if not total or too_many(max(anchors, m)):
        return too_many(max(anchors, m)) or Work()
    iou, matched, flags, chance = (Scratch(k) for k in range(4))
    overlaps = [_launch("label_overlaps", anchor.dtype, total * m, [iou, In(0), In(1), total * m, anchors, m, width])]
    variances = np.array(op.variances, np.float64)
    return Work(
        *overlaps[:m],
        _launch("match_anchors", anchor.dtype, images * THREADS, [
            matched, flags, chance, iou, In(1), In(2), images, anchors, m, width, scores.shape[1],
            float(op.overlap_threshold), float(op.negative_mining_ratio), float(op.negative_mining_thresh)]),
        _launch("write_targets", anchor.dtype, total, [
            Out(0), Out(1), Out(2), matched, In(0), In(1), total, anchors, m, width, float(op.ignore_label),
            variances]),
        scratch=[Spec((total * m,), among), Spec((total,), np.dtype("int32")), Spec((images * m,), np.dtype("int32")),
                 Spec((total,), among)])


@kernel_for("_contrib_MultiBoxDetection")
def detection(op, inputs, outputs):
    scores, out = inputs[0], outputs[0]
    images, classes, anchors = scores.shape
    total = images * anchors
    if not total or too_many(anchors):
        return too_many(anchors) or Work()
    detections, order, alive = (Scratch(k) for k in range(3))
    suppresses = 0 < op.nms_threshold <= 1
    rows = Rows(wide(scores.dtype), detections, images, anchors, 6, 2, 1, 0)
    threshold = op.nms_threshold if suppresses else np.inf
    return Work(
        _launch("detections", scores.dtype, total, [detections, In(0), In(1), In(2), total, anchors, classes,
                                                    float(op.threshold), int(op.clip),
                                                    np.array(op.variances, np.float64)]),
        rows.ordered(order, -np.inf, -1, suppresses),
        rows.suppressed(alive, order, threshold, -1 if op.force_suppress else 0, reaches=True,
                        topk=op.nms_topk if suppresses else -1),
        _launch("write_detections", out.dtype, total * 6, [Out(0), detections, order, alive, total * 6, anchors]),
        scratch=[Spec((total, 6), np.dtype(wide(scores.dtype))), rows.order, rows.alive])
