"""Non-maximum suppression: a loop over the boxes, best first, in which each survivor suppresses those it overlaps.

ONNX's NonMaxSuppression returns the indices of the survivors. Here the result has a row for each box, classes stay with
their boxes, and ties are broken as in `minigluon.ops.vision.box_nms`, so the algorithm itself is exported.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...helpers import size_of
from ...table import translates
from ...values import Body, Builder, Value
from ..nn.softmax import positions
from .boxes import as_center, as_corners, coordinates, overlap

__all__ = ["survivors"]


def survivors(g: Builder, boxes: Any, valid: Any, kinds: Any, threshold: Any, reaches: bool = False) -> Any:
    """Returns 1 for each box that survives, else 0: (B, n). boxes (B, n, 4) with corners, the best first.

    valid (B, n): 1 for boxes that take part. kinds (B, n), or None: boxes suppress only boxes of the same kind.
    """
    count = boxes.shape[1]
    inner = Builder(g.opset, outer=g)
    inner.prefix = g.prefix
    number = Value(inner, (), np.int64, f"{g.prefix}/number")
    goes_on = Value(inner, (), np.bool_, f"{g.prefix}/goes_on")
    alive = Value(inner, valid.shape, valid.dtype, f"{g.prefix}/alive")
    index = inner.unsqueeze(number, 0)
    batch = valid.shape[0]
    box = inner.call("Gather", boxes, index, axis=1, shape=(batch, 1, 4))
    found = overlap(inner, coordinates(inner, box), coordinates(inner, boxes))
    found.shape = (batch, count, 1)
    found = inner.squeeze(found, 2)
    covered = found >= threshold if reaches else found > threshold
    behind = inner.call("Less", number, positions(g, count))
    struck = inner.call("And", covered, behind)
    if kinds is not None:
        kind = inner.call("Gather", kinds, index, axis=1, shape=(batch, 1))
        struck = inner.call("And", struck, inner.call("Equal", kinds, kind))
    here = inner.call("Gather", alive, index, axis=1, shape=(batch, 1))
    left = alive * (1.0 - here * inner.cast(struck, valid.dtype))
    left.shape = valid.shape
    body = Body(inner, [number, goes_on, alive], [inner.call("Identity", goes_on), left])
    most = g.squeeze(g.length(count), 0) if isinstance(count, SymbolicDim) else g.constant(np.array(count, np.int64))
    return g.call("Loop", most, g.constant(np.array(True)), valid, body=body, dtype=valid.dtype, shape=valid.shape)


def sorted_rows(g: Builder, scores: Any, *arrays: Any) -> tuple[Any, list[Any]]:
    """Returns (scores in descending order, each array (B, n, ...) in that order)."""
    count = scores.shape[1]
    values, order = g.TopK(scores, g.sizes([count]), axis=1, largest=1, sorted=1, outputs=2, shape=scores.shape)
    order.dtype = np.dtype(np.int64)
    index = g.unsqueeze(order, 2)
    return values, [g.GatherND(x, index, batch_dims=1, shape=x.shape) for x in arrays]


@translates("_contrib_box_nms")
def box_nms(g, op, data):
    """Writes box_nms in float32: ranks of many boxes, and a value below all scores, exceed float16."""
    if data.dtype == np.float16:
        return g.cast(box_nms(g, op, g.cast(data, np.float32)), data.dtype)
    count, width = data.shape[-2:]
    rows = g.reshape(data, (size_of(data.shape[:-2]), count, width))
    batch = rows.shape[0]
    low = float(np.finfo(np.float32).min)
    scores = g.item(rows, op.score_index, 2)
    takes_part = scores > op.valid_thresh
    if op.id_index != -1:
        background = g.Equal(g.item(rows, op.id_index, 2), g.like(float(op.background_id), rows))
        takes_part = g.And(takes_part, g.Not(background))
    scores, (rows,) = sorted_rows(g, g.where(takes_part, scores, low), rows)
    valid = g.cast(scores > low, data.dtype)
    if op.topk > 0:
        among = g.cast(positions(g, count) < op.topk, data.dtype)
        valid = valid * among
        valid.shape = (batch, count)
    places = g.Slice(rows, g.ints(op.coord_start), g.ints(op.coord_start + 4), g.ints(2), shape=(batch, count, 4))
    boxes = as_corners(g, places, op.in_format)
    kinds = None if op.id_index == -1 or op.force_suppress else g.item(rows, op.id_index, 2)
    alive = survivors(g, boxes, valid, kinds, op.overlap_thresh)
    rows = _converted(g, op, rows, places)
    ranks = g.cast(positions(g, count), data.dtype)
    key = alive * (float(2 ** 24) - ranks)                      # survivors first, in their order
    key.shape = (batch, count)
    key, (rows,) = sorted_rows(g, key, rows)
    out = g.where(g.unsqueeze(key > 0.0, 2), rows, -1.0)
    out.shape = rows.shape
    return g.reshape(out, data.shape)


def _converted(g, op, rows, places):
    """Returns the rows with their boxes in out_format."""
    if op.in_format == op.out_format:
        return rows
    changed = (as_corners if op.out_format == "corner" else as_center)(g, places, op.in_format)
    parts, width = [], rows.shape[2]
    if op.coord_start:
        parts.append(g.slice(rows, 2, 0, op.coord_start))
    parts.append(changed)
    if op.coord_start + 4 < width:
        parts.append(g.slice(rows, 2, op.coord_start + 4, width))
    return g.concat(parts, 2)
