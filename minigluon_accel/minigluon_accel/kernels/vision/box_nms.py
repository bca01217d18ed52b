"""Non-maximum suppression of boxes: a loop over pairs of boxes, best first (see `csrc/vision/boxes.c`)."""

import math

from ...engine import Call, Phase
from ..registry import kernel_for, reals


@kernel_for("_contrib_box_nms")
def box_nms(op, inputs, outputs):
    data = inputs[0]
    *lead, n, width = data.shape
    batch = math.prod(lead)
    turn = 0 if op.in_format == op.out_format else 1 if op.out_format == "center" else 2
    return reals(data) or Call(Phase(
        "box_nms", data.dtype, min(batch, 64) if n else 0, batch=batch, n=n, width=width, first=op.coord_start,
        score=op.score_index, id_index=op.id_index, any_kind=int(op.force_suppress or op.id_index < 0),
        topk=max(op.topk, 0), centered=int(op.in_format == "center"), turn=turn, overlap=op.overlap_thresh,
        valid=op.valid_thresh, background=op.background_id))
