"""Boxes: overlaps, and offsets between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...helpers import size_of
from ...table import translates

if TYPE_CHECKING:
    from ...values import Builder, Value

__all__ = ["as_center", "as_corners", "overlap"]


def coordinates(g: Builder, boxes: Any) -> list[Value]:
    """Returns the four coordinates of each box, each with a last axis of length 1."""
    return g.split(boxes, [1] * 4, boxes.rank - 1)


def as_corners(g: Builder, boxes: Any, box_format: Any) -> Any:
    """Converts boxes to corners if they are given as (x, y, width, height)."""
    if box_format == "corner":
        return boxes
    x, y, width, height = coordinates(g, boxes)
    half, tall = width * 0.5, height * 0.5
    return g.concat([x - half, y - tall, x + half, y + tall], boxes.rank - 1)


def as_center(g: Builder, boxes: Any, box_format: Any) -> Any:
    """Converts boxes to (x, y, width, height) if they are given as corners."""
    if box_format == "center":
        return boxes
    left, top, right, bottom = coordinates(g, boxes)
    width, height = right - left, bottom - top
    return g.concat([left + width * 0.5, top + height * 0.5, width, height], boxes.rank - 1)


def area(g: Builder, left: Any, top: Any, right: Any, bottom: Any) -> Any:
    """Returns the area of boxes given as corners; 0 for inverted boxes."""
    return g.Max(right - left, 0.0) * g.Max(bottom - top, 0.0)


def overlap(g: Builder, a: Any, b: Any) -> Value:
    """Returns the intersection over union of boxes, each given as four broadcastable coordinates."""
    shared = area(g, g.Max(a[0], b[0]), g.Max(a[1], b[1]), g.Min(a[2], b[2]), g.Min(a[3], b[3]))
    whole = area(g, *a) + area(g, *b) - shared
    good = whole > 0.0
    return g.where(good, shared / g.where(good, whole, 1.0), 0.0)


@translates("_contrib_box_iou")
def box_iou(g, op, lhs, rhs):
    rows, columns = size_of(lhs.shape[:-1]), size_of(rhs.shape[:-1])
    a = coordinates(g, g.reshape(as_corners(g, lhs, op.format), (rows, 1, 4)))
    b = coordinates(g, g.reshape(as_corners(g, rhs, op.format), (1, columns, 4)))
    ious = overlap(g, a, b)
    ious.shape = (rows, columns, 1)
    return g.reshape(ious, g.specs[0][0])


@translates("_contrib_box_decode")
def box_decode(g, op, data, anchors):
    x, y, width, height = coordinates(g, as_center(g, anchors, op.format))
    right, down, wider, higher = (way * std for way, std in zip(
        coordinates(g, data), (op.std0, op.std1, op.std2, op.std3), strict=True))
    if op.clip > 0:
        wider, higher = g.Min(wider, op.clip), g.Min(higher, op.clip)
    parts = [right * width + x, down * height + y, g.Exp(wider) * width, g.Exp(higher) * height]
    for part in parts:
        part.shape = (*data.shape[:-1], 1)
    return as_corners(g, g.concat(parts, data.rank - 1), "center")


@translates("_contrib_box_encode")
def box_encode(g, op, samples, matches, anchors, refs, means, stds):
    """Encodes boxes; values of boxes without a match are discarded."""
    valid = samples > 0.5
    chosen = g.cast(g.where(valid, matches, 0.0), np.int64)
    chosen = g.Max(g.Min(chosen, refs.shape[1] - 1), 0)
    boxes = g.GatherND(refs, g.unsqueeze(chosen, 2), batch_dims=1, shape=anchors.shape)
    x, y, w, h = coordinates(g, as_center(g, anchors, "corner"))
    x2, y2, w2, h2 = coordinates(g, as_center(g, boxes, "corner"))
    ways = [(x2 - x) / w, (y2 - y) / h, g.Log(w2 / w), g.Log(h2 / h)]
    for way in ways:
        way.shape = (*anchors.shape[:-1], 1)
    wide = g.unsqueeze(valid, 2)
    targets = g.where(wide, (g.concat(ways, 2) - means) / stds, 0.0)
    return [targets, g.expand(g.cast(wide, anchors.dtype), anchors.shape)]
