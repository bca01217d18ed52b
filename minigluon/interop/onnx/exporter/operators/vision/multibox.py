"""Anchors for a single-shot detector, and decoding of its predictions."""

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates
from ...values import UntranslatableError
from .box_nms import best_rows, survivors
from .boxes import as_center, as_corners, coordinates

__all__ = []


@translates("_contrib_MultiBoxPrior")
def multibox_prior(g, op, data):
    """Writes a constant, because the anchors depend only on the shape."""
    if any(isinstance(n, SymbolicDim) for n in data.shape[2:]):
        raise UntranslatableError("the size of the feature map is left open")
    return g.constant(op.forward(np.empty((1, 1, *data.shape[2:]), data.dtype)))


@translates("_contrib_MultiBoxDetection")
def multibox_detection(g, op, cls_prob, loc_pred, anchor):
    batch, classes, count = cls_prob.shape
    shape = (batch, count)
    if classes < 2:
        return g.filled((batch, count, 6), -1, cls_prob.dtype)
    objects = g.slice(cls_prob, 1, 1, classes)
    scores = g.reduce("Max", objects, [1])
    kinds = g.cast(g.ArgMax(objects, axis=1, keepdims=0, shape=shape), cls_prob.dtype)
    boxes = _decoded(g, op, g.reshape(loc_pred, (batch, count, 4)), anchor)
    suppresses = 0 < op.nms_threshold <= 1
    good = scores >= op.threshold
    order = g.where(good, scores, -np.inf) if suppresses else _in_place(g, good, count)
    key, (kinds, scores, boxes) = best_rows(g, order, count, kinds, scores, boxes)
    valid = key > -np.inf if suppresses else key > 0.0
    if suppresses:
        kinds = _suppressed(g, op, boxes, kinds, valid)
    rows = g.Concat(g.unsqueeze(kinds, 2), g.unsqueeze(scores, 2), boxes, axis=2)
    return g.where(g.unsqueeze(valid, 2), rows, -1.0)


def _in_place(g, good, count):
    """Returns sort keys that move good rows to the front without changing their order."""
    ranks = g.constant((count - np.arange(count)).astype(np.float32))
    return g.cast(good, np.float32) * ranks


def _suppressed(g, op, boxes, kinds, valid):
    """Returns the classes, with -1 for boxes that are suppressed or not among the first nms_topk."""
    count = boxes.shape[1]
    among = count if op.nms_topk <= 0 else min(op.nms_topk, count)
    first = [g.slice(x, 1, 0, among) if among < count else x for x in (boxes, kinds, valid)]
    alive = survivors(g, first[0], first[2], None if op.force_suppress else first[1], op.nms_threshold, reaches=True)
    result = g.where(alive, first[1], -1.0)
    result.shape = first[1].shape
    if among == count:
        return result
    return g.concat([result, g.filled((kinds.shape[0], count - among), -1, kinds.dtype)], 1)


def _decoded(g, op, offsets, anchor):
    """Decodes offsets relative to anchors into boxes; anchors and boxes are given as corners."""
    x, y, width, height = coordinates(g, as_center(g, anchor, "corner"))
    ways = [way * float(variance) for way, variance in zip(coordinates(g, offsets), op.variances, strict=True)]
    parts = [ways[0] * width + x, ways[1] * height + y, g.Exp(ways[2]) * width, g.Exp(ways[3]) * height]
    for part in parts:
        part.shape = (*offsets.shape[:2], 1)
    boxes = as_corners(g, g.concat(parts, 2), "center")
    return g.Clip(boxes, 0.0, 1.0) if op.clip else boxes
