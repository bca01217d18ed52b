"""Boxes in images: overlap, matching, and offsets between boxes.

A box is 4 numbers along the last axis: (xmin, ymin, xmax, ymax) in the format 'corner', or (x, y, width, height) with
the center (x, y) in the format 'center'. None of these operators has a gradient.
"""

from typing import Literal

import numpy as np

from ..numeric import integers_of
from ..op import Op
from ..registry import register
from ..shapes import size_of

__all__ = ["BoxOp", "center", "coordinates", "corners", "joined", "overlap", "ways", "wide"]


def wide(array):
    """Returns the array in the type used for computing: float32 for float16, otherwise unchanged."""
    return array.astype(np.float32) if array.dtype == np.float16 else array


def corners(boxes, form):
    """Converts boxes in either format to corners."""
    if form == "corner":
        return boxes
    x, y, width, height = coordinates(boxes)
    half = boxes.dtype.type(0.5)
    return joined(x - width * half, y - height * half, x + width * half, y + height * half)


def center(boxes, form):
    """Converts boxes in either format to center, width and height."""
    if form == "center":
        return boxes
    left, top, right, bottom = coordinates(boxes)
    width, height, half = right - left, bottom - top, boxes.dtype.type(0.5)
    return joined(left + width * half, top + height * half, width, height)


def coordinates(boxes):
    """Returns the four coordinates of boxes (..., 4) as separate arrays, because NumPy is slow along short axes."""
    return np.moveaxis(boxes, -1, 0)


def joined(*numbers):
    """Returns the coordinate arrays joined to (..., count)."""
    out = np.empty((*np.broadcast_shapes(*[x.shape for x in numbers]), len(numbers)), numbers[0].dtype)
    for i, x in enumerate(numbers):
        out[..., i] = x
    return out


def ways(anchors, boxes):
    """Returns the offsets from anchors to boxes, both given as corners: along x and y in units of the anchor's size,
    then the logarithms of the ratios of width and height. """
    x, y, width, height = coordinates(center(anchors, "corner"))
    x2, y2, width2, height2 = coordinates(center(boxes, "corner"))
    return (x2 - x) / width, (y2 - y) / height, np.log(width2 / width), np.log(height2 / height)


def overlap(a, b, pixel=0):
    """Returns the intersection over union of boxes given as corners, with broadcasting; 0 if the union is empty.

    pixel: 1 if corners are pixels that belong to the box, so that the width is xmax - xmin + 1.
    """
    left, top, right, bottom = coordinates(a)
    left2, top2, right2, bottom2 = coordinates(b)
    shared = area_between(np.maximum(left, left2), np.maximum(top, top2), np.minimum(right, right2),
                          np.minimum(bottom, bottom2), pixel)
    whole = area_between(left, top, right, bottom, pixel) + area_between(left2, top2, right2, bottom2, pixel) - shared
    with np.errstate(invalid="ignore"):         # for infinite boxes
        return np.where(whole > 0, shared / np.where(whole > 0, whole, 1), whole.dtype.type(0))


def area_between(left, top, right, bottom, pixel=0):
    """Returns the area of boxes given as corners; 0 if they are inverted."""
    return np.maximum(right - left + pixel, 0) * np.maximum(bottom - top + pixel, 0)


class BoxOp(Op):
    """Base class of floating-point operators without a gradient. `require_last` checks the axis of coordinates."""

    gradient = None

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.argument_names(len(dtypes)), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def require_last(self, argument, shape, length=4):
        """Returns the shape with a last axis of this length. Raises ShapeError if its length differs."""
        if shape == ():
            raise self.shape_clash(f"{argument} has shape (), expected a last axis of {length} coordinates", argument)
        return None if shape is None else self.require(argument, shape, (*shape[:-1], length))


@register("lhs", "rhs")
class _contrib_box_iou(BoxOp):
    """The intersection over union of each box in lhs with each box in rhs.

    lhs (*a, 4) | rhs (*b, 4) | out (*a, *b)

    format: corner for (xmin, ymin, xmax, ymax), center for (x, y, width, height) with the center (x, y).

    >>> print(nd.contrib.box_iou(nd.array([[0, 0, 2, 2]]), nd.array([[0, 0, 2, 4], [1, 0, 3, 2]])).asnumpy().round(2))
    [[0.5  0.33]]
    """

    format: Literal["corner", "center"] = "corner"

    def infer_shape(self, lhs, rhs):
        lhs, rhs = self.require_last("lhs", lhs), self.require_last("rhs", rhs)
        return [lhs, rhs], [None if None in (lhs, rhs) else lhs[:-1] + rhs[:-1]]

    def forward(self, lhs, rhs):
        a, b = (corners(wide(x), self.format) for x in (lhs, rhs))
        overlaps = overlap(a.reshape(-1, 1, 4), b.reshape(1, -1, 4))
        return overlaps.reshape(lhs.shape[:-1] + rhs.shape[:-1]).astype(lhs.dtype)


@register("data")
class _contrib_bipartite_matching(BoxOp):
    """Greedily paired rows and columns: the pair with the best score, then the best pair of the remaining rows and
    columns.

    data (*batch, n, m) | outputs: the column of each row (*batch, n), the row of each column (*batch, m), -1 for none

    is_ascend: True if smaller scores are better.
    threshold: pairs need a score above this, or below it with is_ascend.
    topk: matching ends after topk + 1 pairs, as in MXNet; -1 for no limit.

    >>> rows, columns = nd.contrib.bipartite_matching(nd.array([[9, 8, 1], [7, 2, 3]]), threshold=2)
    >>> print(rows.asnumpy(), columns.asnumpy())
    [0. 2.] [ 0. -1.  1.]
    """

    is_ascend: bool = False
    threshold: float
    topk: int = -1
    num_outputs = 2

    def infer_shape(self, data):
        if data is not None and len(data) < 2:
            raise self.shape_clash(f"data has shape {data}, expected rows and columns of scores", "data")
        return [data], [None, None] if data is None else [data[:-1], (*data[:-2], data[-1])]

    def forward(self, data):
        *batch, n, m = data.shape
        rows, columns = np.full((size_of(batch), n), -1, data.dtype), np.full((size_of(batch), m), -1, data.dtype)
        for scores, row, column in zip(data.reshape(len(rows), n, m), rows, columns, strict=True):
            self.match(scores, row, column)
        return rows.reshape(*batch, n), columns.reshape(*batch, m)

    def match(self, scores, row, column):
        """Fills row and column, which contain -1, with the pairs for one matrix of scores."""
        flat = scores.ravel()
        order = np.argsort(flat if self.is_ascend else -flat, kind="stable")
        good = flat[order] < self.threshold if self.is_ascend else flat[order] > self.threshold
        remaining = min(scores.shape) if self.topk < 1 else min(self.topk + 1, *scores.shape)
        for place in order[good]:
            if not remaining:
                return
            i, j = divmod(place, scores.shape[1])
            if row[i] == -1 and column[j] == -1:
                row[i], column[j] = j, i
                remaining -= 1


@register("samples", "matches", "anchors", "refs", "means", "stds")
class _contrib_box_encode(BoxOp):
    """Regression targets from anchors to the boxes matched with them, and a mask of matches.

    samples (B, N): 1 for a match | matches (B, N): the index of the box in refs | anchors (B, N, 4), refs (B, M, 4):
    corners | means, stds (4,) | outputs: targets and mask, both (B, N, 4)

    With (x, y, w, h) of the matched box and (ax, ay, aw, ah) of the anchor, the target is ((x - ax) / aw, (y - ay) /
    ah, log(w / aw), log(h / ah)), minus means, divided by stds; target and mask are 0 without a match.

    >>> anchors, refs = nd.array([[[0, 0, 4, 4], [9, 9, 10, 10]]]), nd.array([[[2, 0, 6, 4]]])
    >>> matched = nd.array([[1, 0]]), nd.array([[0, 0]])
    >>> targets, mask = nd.contrib.box_encode(*matched, anchors, refs, nd.zeros(4), nd.ones(4))
    >>> print(targets.asnumpy()[0, 0], mask.asnumpy()[0, :, 0])
    [0.5 0.  0.  0. ] [1. 0.]
    """

    num_outputs = 2

    def infer_shape(self, samples, matches, anchors, refs, means, stds):
        self.require_rank("refs", refs, 3)
        samples = self.require("samples", samples, matches)
        anchors = self.require("anchors", anchors, None if samples is None else (*samples, 4))
        self.require_rank("anchors", anchors, 3)
        refs = self.require("refs", refs, (None if anchors is None else anchors[0], None, 4))
        samples = None if anchors is None else self.require("samples", samples, anchors[:2])
        means, stds = (self.require(name, s, (4,)) for name, s in (("means", means), ("stds", stds)))
        return [samples, samples, anchors, refs, means, stds], [anchors, anchors]

    def forward(self, samples, matches, anchors, refs, means, stds):
        valid = samples > 0.5
        if not refs.shape[1]:
            return np.zeros_like(anchors), np.zeros_like(anchors)
        chosen = np.clip(integers_of(np.where(valid, matches, 0)), 0, refs.shape[1] - 1)
        matched = wide(refs)[np.arange(len(refs))[:, None], chosen]
        with np.errstate(all="ignore"):         # unmatched values are arbitrary
            targets = [np.where(valid, (way - mean) / std, 0) for way, mean, std in zip(
                ways(wide(anchors), matched), wide(means), wide(stds), strict=True)]
        return joined(*targets).astype(anchors.dtype), valid.astype(anchors.dtype)[..., None].repeat(4, -1)


@register("data", "anchors")
class _contrib_box_decode(BoxOp):
    """Boxes with corners from anchors and predicted offsets, the inverse of box_encode.

    data (B, N, 4) | anchors (1, N, 4), in `format` | out (B, N, 4)

    With data (dx, dy, dw, dh) and an anchor (ax, ay, aw, ah), the center is (dx · std0 · aw + ax, dy · std1 · ah + ay)
    and the size (exp(dw · std2) · aw, exp(dh · std3) · ah).

    std0: the factor of dx.
    std1: the factor of dy.
    std2: the factor of dw.
    std3: the factor of dh.
    clip: the upper bound of dw · std2 and dh · std3; no bound if not positive.
    format: the format of anchors: corner, or center for (x, y, width, height) with the center (x, y).

    >>> data, anchors = nd.array([[[0.5, 0, 0, 0]]]), nd.array([[[0, 0, 4, 4]]])
    >>> print(nd.contrib.box_decode(data, anchors, format="corner").asnumpy())
    [[[2. 0. 6. 4.]]]
    """

    std0: float = 1.0
    std1: float = 1.0
    std2: float = 1.0
    std3: float = 1.0
    clip: float = -1.0
    format: Literal["corner", "center"] = "center"

    def infer_shape(self, data, anchors):
        self.require_rank("data", data, 3)
        data = self.require_last("data", data)
        anchors = self.require("anchors", anchors, (1, None if data is None else data[1], 4))
        return [data, anchors], [data]

    def forward(self, data, anchors):
        real, stds = wide(data), (self.std0, self.std1, self.std2, self.std3)
        x, y, width, height = coordinates(center(wide(anchors), self.format))
        right, down, wider, higher = (way * real.dtype.type(std) for way, std in zip(
            coordinates(real), stds, strict=True))
        if self.clip > 0:
            wider, higher = (np.minimum(way, real.dtype.type(self.clip)) for way in (wider, higher))
        with np.errstate(over="ignore"):
            boxes = joined(right * width + x, down * height + y, np.exp(wider) * width, np.exp(higher) * height)
        return corners(boxes, "center").astype(data.dtype)
