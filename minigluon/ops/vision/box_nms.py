"""Non-maximum suppression: keep the best box, remove the boxes that overlap it too much, and continue with the next
best box.

Rosenfeld and Thurston 1971, Edge and curve detection for visual scene analysis, is the earliest use of the rule.
"""

from typing import Literal

import numpy as np

from ..op import Op
from ..registry import register
from ..shapes import size_of
from .boxes import BoxOp, center, corners, overlap, wide

__all__ = ["survivors"]

MAX_ROWS = 2 ** 31 - 1      # the limit for a batch, because the indices of survivors are int32


def survivors(boxes, threshold, kinds=None, pixel=0, reaches=False, limit=None):
    """Returns (n,) bool: which of the boxes with corners (n, 4), best first, are not covered by a better survivor of
    their class.

    A box is covered if the overlap is greater than the threshold or, with reaches=True, equal to it.
    kinds: (n,) classes; None for a single class. limit: the maximum number of survivors.
    """
    boxes = np.asfortranarray(boxes)            # contiguous coordinates, as `overlap` reads them
    alive, count = np.ones(len(boxes), bool), 0
    for i in range(len(boxes)):
        if not alive[i]:
            continue
        count += 1
        if count == limit:
            alive[i + 1:] = False
            break
        overlaps = overlap(boxes[i], boxes[i + 1:], pixel)
        covered = overlaps >= threshold if reaches else overlaps > threshold
        alive[i + 1:] &= ~(covered if kinds is None else covered & (kinds[i + 1:] == kinds[i]))
    return alive


@register("data", aliases=["_contrib_box_non_maximum_suppression"])
class _contrib_box_nms(BoxOp):
    """The surviving boxes, best score first, padded with rows of -1.

    data (*batch, n, width): each row has a score, 4 coordinates, optionally a class, and any other values
    out  like data

    A row is suppressed if it overlaps a better survivor of its class. Only the surviving rows receive a gradient.

    overlap_thresh: the intersection over union above which the worse of two boxes is suppressed.
    valid_thresh: the score above which a row takes part.
    topk: how many of the best rows take part; -1 for all.
    coord_start: the index of the first of the 4 coordinates in a row.
    score_index: the index of the score in a row.
    id_index: the index of the class in a row; -1 for none.
    background_id: the class whose rows are ignored.
    force_suppress: if True, also suppress boxes of other classes.
    in_format: corner for (xmin, ymin, xmax, ymax), center for (x, y, width, height) with the center (x, y).
    out_format: the format of the boxes in out.

    Source: Rosenfeld and Thurston 1971, Edge and curve detection for visual scene analysis.

    >>> rows = nd.array([[0, 0.8, 0, 0, 2, 2], [0, 0.9, 0, 0, 2, 2], [0, 0.7, 5, 5, 6, 6]])     # class, score, box
    >>> print(nd.contrib.box_nms(rows).asnumpy().round(1))
    [[ 0.   0.9  0.   0.   2.   2. ]
     [ 0.   0.7  5.   5.   6.   6. ]
     [-1.  -1.  -1.  -1.  -1.  -1. ]]
    """

    overlap_thresh: float = 0.5
    valid_thresh: float = 0.0
    topk: int = -1
    coord_start: int = 2
    score_index: int = 1
    id_index: int = -1
    background_id: int = -1
    force_suppress: bool = False
    in_format: Literal["corner", "center"] = "corner"
    out_format: Literal["corner", "center"] = "corner"
    num_outputs = 2                 # the hidden output: the index in data of each row of the result, -1 for none
    output_names = ("output0",)
    keeps = ("outputs",)

    def infer_shape(self, data):
        if data is not None and len(data) < 2:
            raise self.shape_clash(f"data has shape {data}, expected rows of boxes", "data")
        if data is not None and (data[-2] or 0) > MAX_ROWS:
            raise self.shape_clash(f"data has {data[-2]} rows, whose numbers are int32: at most {MAX_ROWS}", "data")
        if data is not None and data[-1] is not None:
            self.check_places(data[-1])
        return [data], [data, None if data is None else data[:-1]]

    def check_places(self, width):
        places = {"coord_start": (self.coord_start, 4), "score_index": (self.score_index, 1)}
        if self.id_index != -1:
            places["id_index"] = self.id_index, 1
        for name, (first, count) in places.items():
            if not 0 <= first <= width - count:
                raise self.shape_clash(f"{name}={first} does not fit into rows of {width} numbers", "data")

    def infer_dtype(self, data):
        self.require_float("data", data)
        return [data], [data, np.dtype(np.int32)]

    def forward(self, data):
        n, width = data.shape[-2:]
        batches = size_of(data.shape[:-2])
        out = np.full((batches, n, width), -1, data.dtype)
        index = np.full((batches, n), -1, np.int32)
        for rows, result, chosen in zip(data.reshape(batches, n, width), out, index, strict=True):
            indices = self.survivor_indices(rows)
            result[:len(indices)], chosen[:len(indices)] = rows[indices], indices
        if self.in_format != self.out_format:
            self.convert(out, index)
        return out.reshape(data.shape), index.reshape(data.shape[:-1])

    def survivor_indices(self, rows):
        """Returns the indices of the surviving rows of (n, width), best first."""
        scores = rows[:, self.score_index]
        valid = scores > self.valid_thresh
        kinds = None if self.id_index == -1 else rows[:, self.id_index]
        if kinds is not None:
            valid &= kinds != self.background_id
        order = np.flatnonzero(valid)
        order = order[np.argsort(-scores[order], kind="stable")]
        order = order[:self.topk] if self.topk > 0 else order
        boxes = corners(wide(rows[order, self.coord_start:self.coord_start + 4]), self.in_format)
        return order[survivors(boxes, self.overlap_thresh, None if self.force_suppress or kinds is None
                               else kinds[order])]

    def convert(self, out, index):
        """Converts the coordinates of surviving rows to out_format, in place."""
        change = corners if self.out_format == "corner" else center
        places = slice(self.coord_start, self.coord_start + 4)
        valid = index >= 0
        out[valid, places] = change(wide(out[valid, places]), self.in_format).astype(out.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._box_nms_grad(out_grads[0], outputs[1])


@register("grad", "index")
class _box_nms_grad(Op):
    """The rows of grad (*batch, n, width) moved to their original rows, index (*batch, n); -1 for none."""

    keeps = ("inputs",)

    def infer_shape(self, grad, index):
        if grad is not None:
            if len(grad) < 2:
                raise self.shape_clash(f"{self.arguments[0]} has shape {grad}, expected rows", self.arguments[0])
            index = self.require("index", index, grad[:-1])
        return [grad, index], [grad]

    def infer_dtype(self, grad, index):
        return [grad, self.require_dtype("index", index, np.dtype(np.int32))], [grad]

    def forward(self, grad, index):
        out = np.zeros((size_of(index.shape[:-1]), *grad.shape[-2:]), grad.dtype)
        batch, place = np.nonzero(index.reshape(out.shape[:2]) >= 0)
        out[batch, index.reshape(out.shape[:2])[batch, place]] = grad.reshape(out.shape)[batch, place]
        return out.reshape(grad.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._box_nms_chosen(out_grads[0], inputs[1]), None]


@register("data", "index")
class _box_nms_chosen(_box_nms_grad):
    """The rows of data (*batch, n, width) selected by index (*batch, n); zeros for -1. The adjoint of `_box_nms_grad`.
    """

    def forward(self, data, index):
        rows = np.take_along_axis(data, np.maximum(index, 0)[..., None], -2)
        return np.where(index[..., None] >= 0, rows, data.dtype.type(0))

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._box_nms_grad(out_grads[0], inputs[1]), None]
