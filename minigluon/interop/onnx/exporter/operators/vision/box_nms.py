"""Non-maximum suppression: the boxes are sorted, and the best boxes suppress the boxes that they overlap.

ONNX's NonMaxSuppression returns the positions of survivors. Here the result has a row for each box, classes stay with
their boxes, and ties are broken as in `minigluon.ops.vision.box_nms`. Up to MOST_PAIRS, all overlaps are computed at
once, and a loop processes the rows of that matrix in turn. If there are more boxes, NonMaxSuppression processes them in
sorted order, with the boxes' classes as its classes. Boxes without an area are omitted, because they overlap with
nothing and ONNX would invert them. OpenVINO also suppresses boxes whose overlap is exactly equal to the threshold,
unlike ONNX.
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

__all__ = ["best_rows", "survivors"]

MOST_PAIRS = 1 << 8     # the maximum for an image; a batch may have four times as many. For 400 boxes,
                        # onnxruntime takes 12 ms for the loop, and 0.3 ms for NonMaxSuppression


def survivors(g: Builder, boxes: Any, valid: Any, kinds: Any, threshold: float, reaches: bool = False) -> Any:
    """Returns which boxes survive, as bool (B, n). boxes (B, n, 4): corners, best first.

    valid (B, n): which boxes take part. kinds (B, n), or None: boxes suppress only boxes of the same kind.
    threshold: a box is suppressed if the overlap is greater than this or, with reaches=True, equal to it.
    """
    batch, count = valid.shape
    few = not isinstance(count, SymbolicDim) and count * count <= MOST_PAIRS and (
        isinstance(batch, SymbolicDim) or batch * count * count <= 4 * MOST_PAIRS)
    limit = np.float32(threshold)
    limit = np.nextafter(limit, np.float32(-1)) if reaches else limit
    if few or boxes.dtype != np.float32 or not 0 <= limit <= 1:
        return _survivors_of_loop(g, boxes, valid, kinds, lambda x: x >= threshold if reaches else x > threshold, few)
    left, top, right, bottom = (g.squeeze(side, 2) for side in coordinates(g, boxes))
    solid = g.And(left < right, top < bottom)
    if kinds is not None:
        solid = g.And(solid, g.Not(g.IsNaN(kinds)))         # NaN does not equal any class, not even itself
    alone, valid = g.And(valid, g.Not(solid)), g.And(valid, solid)
    ranks = g.cast(g.length_of(count) - positions(g, count), np.float32)
    scores = g.where(valid, ranks, 0.0)
    scores = g.unsqueeze(scores, 1) if kinds is None else _by_kind(g, scores, g.where(valid, kinds, 0.0))
    chosen = g.NonMaxSuppression(boxes, scores, g.sizes([count]), g.constant(np.array([limit])),
                                 g.constant(np.array([0.5], np.float32)))
    places = g.Gather(chosen, g.ints(0, 2), axis=1)
    ones = g.cast(g.Gather(chosen, g.constant(np.array(0, np.int64)), axis=1) >= 0, np.float32)
    alive = g.ScatterND(g.filled((batch, count), 0, np.float32), places, ones, shape=(batch, count)) > 0.0
    return g.Or(alone, alive)


def _by_kind(g, scores, kinds):
    """Returns scores (B, kinds, n) that are 0 for boxes of other kinds."""
    batch, count = scores.shape
    ordered, order = sorted_by(g, kinds, count)
    same = g.Equal(g.slice(ordered, 1, 1, None), g.slice(ordered, 1, 0, -1))
    steps = g.concat([g.filled((batch, 1), 0, np.int64), g.cast(g.Not(same), np.int64)], 1)
    numbers = g.CumSum(steps, g.constant(np.array(1, np.int64)))
    groups = g.ScatterElements(g.filled((batch, count), 0, np.int64), order, numbers, axis=1, shape=(batch, count))
    zero, one = (g.constant(np.array(n, np.int64)) for n in (0, 1))
    most = g.Range(zero, g.ReduceMax(groups, keepdims=0, dtype=np.int64) + one, one)
    return g.where(g.Equal(g.unsqueeze(groups, 1), g.Unsqueeze(most, g.ints(1))), g.unsqueeze(scores, 1), 0.0)


def _survivors_of_loop(g, boxes, valid, kinds, covers, few):
    """Returns the result of `survivors`, computed by a loop over the boxes. covers: a function of the overlaps. few:
    True computes a matrix of all overlaps first.
    """
    batch, count = valid.shape
    inner = Builder(g.opset, outer=g)
    inner.prefix = g.prefix
    number = Value(inner, (), np.int64, f"{g.prefix}/number")
    goes_on = Value(inner, (), np.bool_, f"{g.prefix}/goes_on")
    alive = Value(inner, valid.shape, valid.dtype, f"{g.prefix}/alive")
    index = inner.unsqueeze(number, 0)

    def here(array):
        return inner.call("Gather", array, index, axis=1, shape=(batch, 1, *array.shape[2:]))
    if few:
        struck = _struck(g, g.unsqueeze(boxes, 2), g.unsqueeze(boxes, 1), covers,
                         g.unsqueeze(positions(g, count), 1), count,
                         None if kinds is None else (g.unsqueeze(kinds, 2), g.unsqueeze(kinds, 1)))
        struck.shape = (batch, count, count)
        struck = inner.squeeze(here(struck), 1)
    else:
        struck = _struck(inner, here(boxes), boxes, covers, number, count,
                         None if kinds is None else (here(kinds), kinds))
    remaining = inner.call("And", alive, inner.call("Not", inner.call("And", here(alive), struck)))
    remaining.shape = valid.shape
    body = Body(inner, [number, goes_on, alive], [inner.call("Identity", goes_on), remaining])
    return g.call("Loop", g.length_of(count), g.constant(np.array(True)), valid, body=body, dtype=valid.dtype,
                  shape=valid.shape)


def _struck(g, box, boxes, covers, number, count, kinds):
    """Returns which boxes (..., n, 4) a surviving box suppresses: the later boxes of its kind that it covers."""
    iou = overlap(g, coordinates(g, box), coordinates(g, boxes))
    iou.shape = (*boxes.shape[:-1], 1)
    struck = g.call("And", covers(g.squeeze(iou, len(iou.shape) - 1)), g.call("Less", number, positions(g, count)))
    return struck if kinds is None else g.call("And", struck, g.call("Equal", *kinds))


def sorted_by(g: Builder, keys: Any, count: Any) -> tuple[Any, Any]:
    """Returns (the largest keys (B, count) in descending order, their positions in keys (B, n))."""
    shape = (keys.shape[0], count)
    values, order = g.TopK(keys, g.sizes([count]), axis=1, largest=1, sorted=1, outputs=2, shape=shape)
    order.dtype = np.dtype(np.int64)
    return values, order


def best_rows(g: Builder, keys: Any, count: Any, *arrays: Any) -> tuple[Any, list[Any]]:
    """Returns (the largest keys (B, count) in descending order, the corresponding rows of each array (B, n, ...))."""
    values, order = sorted_by(g, keys, count)
    index = g.unsqueeze(order, 2)
    return values, [g.GatherND(x, index, batch_dims=1, shape=(x.shape[0], count, *x.shape[2:])) for x in arrays]


@translates("_contrib_box_nms")
def box_nms(g, op, data):
    """Writes box_nms in float32, because the ranks of many boxes exceed the range of float16."""
    if data.dtype == np.float16:
        return g.cast(box_nms(g, op, g.cast(data, np.float32)), data.dtype)
    count, width = data.shape[-2:]
    rows = g.reshape(data, (size_of(data.shape[:-2]), count, width))
    scores = g.item(rows, op.score_index, 2)
    takes_part = scores > op.valid_thresh
    if op.id_index != -1:
        background = g.Equal(g.item(rows, op.id_index, 2), g.like(float(op.background_id), rows))
        takes_part = g.And(takes_part, g.Not(background))
    keys = g.where(takes_part, scores, -np.inf)
    among = count if op.topk <= 0 else op.topk if isinstance(count, SymbolicDim) else min(op.topk, count)
    keys, (best,) = _first_rows(g, keys, among, rows)
    places = g.Slice(best, g.ints(op.coord_start), g.ints(op.coord_start + 4), g.ints(2),
                     shape=(*keys.shape, 4))
    boxes = as_corners(g, places, op.in_format)
    kinds = None if op.id_index == -1 or op.force_suppress else g.item(best, op.id_index, 2)
    alive = survivors(g, boxes, keys > -np.inf, kinds, op.overlap_thresh)
    ranks = g.cast(g.length_of(among) - positions(g, among), np.float32)
    first = g.where(alive, ranks, 0.0)                          # survivors first, in unchanged order
    first.shape = keys.shape
    first, (best,) = best_rows(g, first, among, _converted(g, op, best, places))
    out = g.where(g.unsqueeze(first > 0.0, 2), best, -1.0)
    out.shape = best.shape
    return g.reshape(_with_rest(g, out, count), data.shape)


def _first_rows(g, keys, count, rows):
    """Returns the result of best_rows, even if the number of rows is open and may be smaller than count."""
    batch, total = keys.shape
    if not isinstance(total, SymbolicDim) or isinstance(count, SymbolicDim):
        return best_rows(g, keys, count, rows)
    keys = g.concat([keys, g.filled((batch, count), -np.inf, keys.dtype)], 1)
    return best_rows(g, keys, count, g.concat([rows, g.filled((batch, count, rows.shape[2]), -1, rows.dtype)], 1))


def _with_rest(g, rows, count):
    """Returns rows (B, k, width), padded with rows of -1 or truncated to `count` rows."""
    batch, among, width = rows.shape
    if isinstance(count, SymbolicDim) and not isinstance(among, SymbolicDim):
        more = g.concat([rows, g.filled((batch, count, width), -1, rows.dtype)], 1)
        return g.slice(more, 1, 0, count)
    if isinstance(count, SymbolicDim) or among == count:
        return rows
    return g.concat([rows, g.filled((batch, count - among, width), -1, rows.dtype)], 1)


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
