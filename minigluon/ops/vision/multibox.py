"""Operators for a single-shot detector: anchors, their training targets, and boxes from predictions.

Liu, Anguelov, Erhan, Szegedy, Reed, Fu, Berg 2016, SSD: single shot multibox detector, arXiv:1512.02325. Boxes are
corners (xmin, ymin, xmax, ymax) as fractions of the image's width and height. None of the operators has a gradient.
"""

import numpy as np

from ..fields import Floats
from ..registry import register
from .box_nms import survivors
from .boxes import BoxOp, center, corners, joined, overlap, ways, wide

__all__ = []


@register("data")
class _contrib_MultiBoxPrior(BoxOp):
    """Anchors around each position of a feature map, the same for all images.

    data (N, C, h, w; only the shape matters) | out (1, h · w · a, 4), a = len(sizes) + len(ratios) - 1

    Boxes are corners as fractions of the image. Each position has one anchor of each size with the first ratio, then
    one of each other ratio with the first size. An anchor of size s and ratio r is s · √r · h / w wide and s / √r high.

    sizes: the heights of anchors of ratio 1, as fractions of the image.
    ratios: width over height.
    clip: if True, clip the boxes to the image.
    steps: the distance between positions (down, to the right); -1 stands for 1 / h and 1 / w.
    offsets: the center of an anchor within its position, (down, to the right), in steps.

    Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

    >>> print(nd.contrib.MultiBoxPrior(nd.zeros((1, 3, 1, 2)), sizes=(0.5,)).asnumpy())
    [[[0.125 0.25  0.375 0.75 ]
      [0.625 0.25  0.875 0.75 ]]]
    """

    sizes: Floats = (1.0,)
    ratios: Floats = (1.0,)
    clip: bool = False
    steps: Floats = (-1.0, -1.0)
    offsets: Floats = (0.5, 0.5)
    shape_only = ("data",)

    def infer_shape(self, data):
        self.require_rank("data", data, 4)
        if not self.sizes or not self.ratios:
            raise self.shape_clash(f"sizes={self.sizes} and ratios={self.ratios} must have a number each")
        if len(self.steps) != 2 or len(self.offsets) != 2:
            raise self.shape_clash(f"steps={self.steps} and offsets={self.offsets} must have two numbers each")
        if (self.steps[0] > 0) != (self.steps[1] > 0):
            raise self.shape_clash(f"steps={self.steps} must both be positive, or both be left to the shape")
        count = len(self.sizes) + len(self.ratios) - 1
        return [data], [None if data is None or None in data[2:] else (1, data[2] * data[3] * count, 4)]

    def forward(self, data):
        h, w = data.shape[2:]
        f32 = np.float32
        rows, columns = ((np.arange(n, dtype=f32) + f32(offset)) * f32(step if step > 0 else 1 / max(n, 1))
                         for n, offset, step in zip((h, w), self.offsets, self.steps, strict=True))
        x, y = columns[:, None], rows[:, None, None]
        width, height = self.half_sizes(h / max(w, 1)).T
        boxes = joined(x - width, y - height, x + width, y + height).reshape(1, -1, 4)
        return (np.clip(boxes, 0, 1) if self.clip else boxes).astype(data.dtype)

    def half_sizes(self, height_by_width):
        """Returns half the (width, height) of each anchor at a position: (a, 2), float32."""
        shapes = [(size, self.ratios[0]) for size in self.sizes] + [(self.sizes[0], r) for r in self.ratios[1:]]
        sizes, ratios = np.array(shapes, np.float32).T
        root = np.sqrt(ratios)
        return np.stack([sizes * np.float32(height_by_width) * root / 2, sizes / root / 2], -1)


@register("anchor", "label", "cls_pred")
class _contrib_MultiBoxTarget(BoxOp):
    """The object that each anchor should detect, and the offsets to it.

    anchor (1, A, 4) | label (N, M, 5 or more): class, then corners; a class of -1 ends the list of objects in an image
    |
    cls_pred (N, classes, A), read only for mining
    outputs: offsets (N, 4A); their mask (N, 4A), 1 for anchors with an object; classes (N, A): 0 is background, 1 and
    above are the label's classes plus one

    Each object is assigned the anchor that overlaps it most; other anchors are assigned an object if their overlap is
    large enough. The remaining anchors are background; with mining, only some of them are. Offsets are computed as in
    box_encode, without means and with variances as stds.

    overlap_threshold: the overlap above which an anchor should detect the object.
    ignore_label: the class of anchors that mining does not select.
    negative_mining_ratio: if positive, the number of background anchors per anchor with an object; those with the
        lowest predicted probability of background are selected.
    negative_mining_thresh: mining considers anchors whose greatest overlap is less than this.
    minimum_negative_samples: no effect, as in MXNet.
    variances: the divisors of the offsets, four numbers.

    Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

    >>> anchor, label = nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]]), nd.array([[[7, 0.5, 0.5, 1, 1]]])
    >>> offsets, mask, classes = nd.contrib.MultiBoxTarget(anchor, label, nd.zeros((1, 9, 2)))
    >>> print(classes.asnumpy(), mask.asnumpy())
    [[0. 8.]] [[0. 0. 0. 0. 1. 1. 1. 1.]]
    """

    overlap_threshold: float = 0.5
    ignore_label: float = -1.0
    negative_mining_ratio: float = -1.0
    negative_mining_thresh: float = 0.5
    minimum_negative_samples: int = 0
    variances: Floats = (0.1, 0.1, 0.2, 0.2)
    num_outputs = 3
    output_names = ("loc_target", "loc_mask", "cls_target")

    def infer_shape(self, anchor, label, cls_pred):
        anchor = self.require("anchor", anchor, (1, None, 4))
        self.require_rank("label", label, 3)
        self.require_rank("cls_pred", cls_pred, 3)
        if label is not None and label[2] is not None and label[2] < 5:
            raise self.shape_clash(f"label has shape {label}, expected rows of at least 5: class and corners", "label")
        if len(self.variances) != 4:
            raise self.shape_clash(f"variances={self.variances} must have four numbers")
        batch, count = None if label is None else label[0], anchor[1]
        cls_pred = self.require("cls_pred", cls_pred, (batch, None, count))
        if cls_pred[1] == 0:
            raise self.shape_clash(f"cls_pred has shape {cls_pred}, expected a class at least", "cls_pred")
        batch, count = cls_pred[0], cls_pred[2]
        offsets = batch, None if count is None else 4 * count
        return [(1, count, 4), label, cls_pred], [offsets, offsets, (batch, count)]

    def forward(self, anchor, label, cls_pred):
        anchors, images = wide(anchor[0]), len(label)
        offsets = np.zeros((images, len(anchors), 4), anchors.dtype)
        mask, classes = np.zeros_like(offsets), np.full((images, len(anchors)), self.ignore_label, anchors.dtype)
        for n in range(images):
            objects = wide(label[n, :count_objects(label[n, :, 0])])
            if not len(objects):
                continue
            overlaps = overlap(anchors[:, None], objects[None, :, 1:5])
            matched, best = self.match(overlaps)
            positive = matched >= 0
            classes[n, self.negatives(positive, best, wide(cls_pred[n]))] = 0
            chosen = objects[matched[positive]]
            classes[n, positive], mask[n, positive] = chosen[:, 0] + 1, 1
            offsets[n, positive] = self.encode(anchors[positive], chosen[:, 1:5])
        flat = images, 4 * len(anchors)
        return (offsets.reshape(flat).astype(anchor.dtype), mask.reshape(flat).astype(anchor.dtype),
                classes.astype(anchor.dtype))

    def match(self, overlaps):
        """Returns (the object for each anchor or -1, the anchor's greatest overlap) from overlaps (anchors, objects).
        """
        matched, remaining = np.full(len(overlaps), -1), overlaps.copy()
        for _ in range(min(overlaps.shape)):
            anchor, thing = np.unravel_index(remaining.argmax(), remaining.shape)
            if not remaining[anchor, thing] > 1e-6:
                break
            matched[anchor] = thing
            remaining[anchor], remaining[:, thing] = -1, -1
        best = overlaps.max(1, initial=-1)
        if self.overlap_threshold > 0:
            more = (matched < 0) & (best > self.overlap_threshold)
            matched[more] = overlaps[more].argmax(1)
        return matched, best

    def negatives(self, positive, best, scores):
        """Returns the background anchors as a mask or as indices. scores (classes, anchors)."""
        if self.negative_mining_ratio <= 0:
            return ~positive
        count = min(int(positive.sum() * self.negative_mining_ratio), int((~positive).sum()))
        candidates = np.flatnonzero(~positive & (best < self.negative_mining_thresh))
        scores = scores[:, candidates]
        powers = np.exp(scores - scores.max(0, initial=-np.inf))
        background = powers[0] / powers.sum(0)
        return candidates[np.argsort(background, kind="stable")[:count]]

    def encode(self, anchors, boxes):
        """Returns offsets (k, 4) from anchors to boxes, both given as corners."""
        with np.errstate(all="ignore"):         # for empty boxes
            return joined(*ways(anchors, boxes)) / np.array(self.variances, anchors.dtype)


def count_objects(classes):
    """Returns the number of rows of a label before the first class of -1."""
    ends = np.flatnonzero(classes == -1)
    return ends[0] if len(ends) else len(classes)


@register("cls_prob", "loc_pred", "anchor")
class _contrib_MultiBoxDetection(BoxOp):
    """Detected boxes, best first: rows (class, score, xmin, ymin, xmax, ymax).

    cls_prob (N, classes, A), class 0 is background | loc_pred (N, 4A): offsets | anchor (1, A, 4) | out (N, A, 6),
    with classes counted from 0, without the background

    An anchor's class is the most probable one; NaN counts as less than any number. A row's class becomes -1 if its box
    overlaps a better one of the same class; all numbers in rows without a detection are -1.

    clip: if True, clip boxes to the image.
    threshold: the minimum probability of an anchor's class.
    background_id: no effect, as in MXNet.
    nms_threshold: the minimum overlap at which the worse of two boxes loses its class.
    force_suppress: if True, also compare boxes of different classes.
    variances: the factors of the offsets, four numbers.
    nms_topk: how many of the best rows may keep their class; -1 for all.

    Source: Liu et al. 2016, SSD: single shot multibox detector, arXiv:1512.02325.

    >>> scores, anchor = nd.array([[[0.25, 0.75], [0.75, 0.25]]]), nd.array([[[0, 0, 0.5, 0.5], [0.5, 0.5, 1, 1]]])
    >>> print(nd.contrib.MultiBoxDetection(scores, nd.zeros((1, 8)), anchor, threshold=0.5).asnumpy())
    [[[ 0.    0.75  0.    0.    0.5   0.5 ]
      [-1.   -1.   -1.   -1.   -1.   -1.  ]]]
    """

    clip: bool = True
    threshold: float = 0.01
    background_id: int = 0
    nms_threshold: float = 0.5
    force_suppress: bool = False
    variances: Floats = (0.1, 0.1, 0.2, 0.2)
    nms_topk: int = -1

    def infer_shape(self, cls_prob, loc_pred, anchor):
        self.require_rank("cls_prob", cls_prob, 3)
        self.require_rank("loc_pred", loc_pred, 2)
        if len(self.variances) != 4:
            raise self.shape_clash(f"variances={self.variances} must have four numbers")
        batch, count = (None, None) if cls_prob is None else (cls_prob[0], cls_prob[2])
        anchor = self.require("anchor", anchor, (1, count, 4))
        count = anchor[1]
        loc_pred = self.require("loc_pred", loc_pred, (batch, None if count is None else 4 * count))
        return [self.require("cls_prob", cls_prob, (loc_pred[0], None, count)), loc_pred, anchor], [
            (loc_pred[0], count, 6)]

    def forward(self, cls_prob, loc_pred, anchor):
        anchors = center(wide(anchor[0]), "corner")
        images, classes, count = cls_prob.shape
        out = np.full((images, count, 6), -1, anchors.dtype)
        if classes < 2:
            return out.astype(cls_prob.dtype)
        for probabilities, offsets, result in zip(wide(cls_prob), wide(loc_pred), out, strict=True):
            comparable = np.where(np.isnan(probabilities[1:]), -np.inf, probabilities[1:])
            best = comparable.argmax(0)
            scores = np.take_along_axis(comparable, best[None], 0)[0]
            valid = np.flatnonzero(scores >= self.threshold)
            order = valid[np.argsort(-scores[valid], kind="stable")] if 0 < self.nms_threshold <= 1 else valid
            rows = result[:len(order)]
            rows[:, 0], rows[:, 1] = best[order], scores[order]
            rows[:, 2:] = self.decode(offsets.reshape(-1, 4)[order], anchors[order])
            self.suppress(rows)
        return out.astype(cls_prob.dtype)

    def decode(self, offsets, anchors):
        """Returns boxes as corners, from offsets and from anchors given as center and size."""
        offsets = offsets * np.array(self.variances, anchors.dtype)
        with np.errstate(over="ignore"):
            sizes = np.exp(offsets[:, 2:]) * anchors[:, 2:]
        boxes = corners(np.concatenate([offsets[:, :2] * anchors[:, 2:] + anchors[:, :2], sizes], 1), "center")
        return np.clip(boxes, 0, 1) if self.clip else boxes

    def suppress(self, rows):
        """Sets the class to -1 in each row that is covered by a better one or beyond nms_topk."""
        if not 0 < self.nms_threshold <= 1:
            return
        if self.nms_topk > 0:
            rows[self.nms_topk:, 0] = -1
            rows = rows[:self.nms_topk]
        kinds = None if self.force_suppress else rows[:, 0]
        rows[~survivors(rows[:, 2:], self.nms_threshold, kinds, reaches=True), 0] = -1
