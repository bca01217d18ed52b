"""Region proposals. Ordering and suppression are shared with box_nms."""

import numpy as np

from minigluon.backend import Spec

from ...launch import THREADS, In, Launch, Out, Scratch, SourceFile, Work, blocks, size, types
from ..reductions import wide
from ..registry import kernel_for
from .box_nms import Rows, too_many
from .multibox import MAX_SHAPES

__all__ = []

SOURCE = SourceFile("vision/proposal.cu", fmad=False)     # see vision/boxes.cuh


@kernel_for("_contrib_Proposal", "_contrib_MultiProposal")
def proposals(op, inputs, outputs):
    scores, out = inputs[0], outputs[0]
    images, _, h, w = scores.shape
    count = op.shapes_of_anchors
    n, total = h * w * count, images * h * w * count
    if count > MAX_SHAPES:
        return f"{count} anchors at a place"
    if too_many(n):
        return too_many(n)
    if not total or not size(out):
        return Work() if not size(out) else "no places"
    anchors, among = np.zeros((MAX_SHAPES, 4), np.float32), np.dtype(wide(out.dtype))
    anchors[:count] = op.base_anchors()
    boxes, order, alive = (Scratch(k) for k in range(3))
    rows = Rows(among, boxes, images, n, 5, 1, 0, -1)

    def launch(function, threads, arguments):
        return Launch(SOURCE, function, types(out.dtype), blocks(threads), THREADS, arguments)
    return Work(
        launch("propose", total, [boxes, In(0), In(1), In(2), total, h, w, count, op.feature_stride, op.rpn_min_size,
                                  int(op.iou_loss), anchors]),
        rows.ordered(order, -np.inf, 0),
        rows.suppressed(alive, order, op.threshold, pixel=1, topk=op.rpn_pre_nms_top_n, most=op.rpn_post_nms_top_n),
        launch("write_proposals", size(out) // 5, [Out(0), Out(1), boxes, order, alive, size(out) // 5,
                                                   op.rpn_post_nms_top_n, n]),
        scratch=[Spec((total, 5), among), rows.order, rows.alive])
