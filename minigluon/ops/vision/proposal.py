"""Region proposals: anchors moved by a network's offsets; the best are kept after non-maximum suppression.

Ren, He, Girshick, Sun 2015, Faster R-CNN, arXiv:1506.01497. Corners are pixels that belong to a box, so a box's width
is xmax - xmin + 1.
"""

import math

import numpy as np

from ..fields import Floats
from ..registry import register
from .box_nms import survivors
from .boxes import BoxOp, wide

__all__ = []


class Proposals(BoxOp):
    """Base class of both operators, which differ in the number of images.

    rpn_pre_nms_top_n: how many of the best boxes take part in the suppression; all if not positive.
    rpn_post_nms_top_n: the number of boxes returned per image; if there are fewer, boxes are repeated.
    threshold: the intersection over union above which the worse of two boxes is suppressed.
    rpn_min_size: smaller boxes, in pixels of the unscaled image, come last.
    scales: the scales of the anchors at a position, in strides.
    ratios: the aspect ratios of the anchors at a position, height over width.
    feature_stride: the number of pixels of the image per position, along each axis.
    output_score: if True, also return the scores.
    iou_loss: True if offsets apply to the corners, in pixels.
    """

    rpn_pre_nms_top_n: int = 6000
    rpn_post_nms_top_n: int = 300
    threshold: float = 0.7
    rpn_min_size: int = 16
    scales: Floats = (4.0, 8.0, 16.0, 32.0)
    ratios: Floats = (0.5, 1.0, 2.0)
    feature_stride: int = 16
    output_score: bool = False
    iou_loss: bool = False
    num_outputs = 2

    @property
    def output_names(self):
        return ("output", "score") if self.output_score else ("output",)

    @property
    def shapes_of_anchors(self):
        """The number of anchors at a position."""
        return len(self.scales) * len(self.ratios)

    def infer_shape(self, cls_prob, bbox_pred, im_info):
        self.require_rank("cls_prob", cls_prob, 4)
        count = self.shapes_of_anchors
        cls_prob = self.require("cls_prob", cls_prob, (None, 2 * count, None, None))
        bbox_pred = self.require("bbox_pred", bbox_pred, (cls_prob[0], 4 * count, *cls_prob[2:]))
        im_info = self.require("im_info", im_info, (cls_prob[0], 3))
        self.check(cls_prob)
        if 0 in cls_prob[2:]:
            raise self.shape_clash(f"cls_prob {cls_prob} has no places, so there is nothing to propose", "cls_prob")
        if self.feature_stride < 1 or not all(0 < x < math.inf for x in (*self.scales, *self.ratios)):
            raise self.shape_clash(f"feature_stride={self.feature_stride}, scales={self.scales} and "
                                   f"ratios={self.ratios} must be positive")
        rows = None if cls_prob[0] is None else cls_prob[0] * self.rpn_post_nms_top_n
        return [cls_prob, bbox_pred, im_info], [(rows, 5), (rows, 1)]

    def check(self, cls_prob):
        """Raises ShapeError for more images than the operator accepts."""
        if self.rpn_post_nms_top_n < 1:
            raise self.shape_clash(f"rpn_post_nms_top_n={self.rpn_post_nms_top_n} must be positive")

    def base_anchors(self):
        """Returns the anchors at a position around the center of the first stride: (count, 4) corners, in float32.

        For each ratio and each scale, there is a window with as many pixels as a square of the stride's size at that
        scale.
        """
        side = np.float32(self.feature_stride)
        middle = np.float32(0.5) * (side - 1)
        windows = []
        for ratio in self.ratios:
            size = np.floor(side * side / np.float32(ratio))
            width = np.floor(np.sqrt(size) + np.float32(0.5))
            height = np.floor(width * np.float32(ratio) + np.float32(0.5))
            windows += [(width * np.float32(scale), height * np.float32(scale)) for scale in self.scales]
        half = (np.array(windows, np.float32) - 1) * np.float32(0.5)
        return np.concatenate([middle - half, middle + half], 1)

    def forward(self, cls_prob, bbox_pred, im_info):
        pairs = [self.of_image(n, *arrays) for n, arrays in enumerate(zip(
            wide(cls_prob), wide(bbox_pred), wide(im_info), strict=True))]
        rows, scores = (np.concatenate([pair[k] for pair in pairs]) if pairs else np.zeros((0, 5 if k == 0 else 1))
                        for k in (0, 1))
        return rows.astype(cls_prob.dtype), scores.astype(cls_prob.dtype)

    def of_image(self, number, scores, offsets, info):
        """Returns (rows (k, 5) with the image's index and corners, scores (k, 1)), where k = rpn_post_nms_top_n."""
        boxes = self.moved(offsets, info)
        scores = scores[self.shapes_of_anchors:].transpose(1, 2, 0).ravel().copy()
        small = ((boxes[:, 2:] - boxes[:, :2] + 1) < info[2] * self.rpn_min_size).any(1)
        reach = boxes.dtype.type(0.5) * info[2] * self.rpn_min_size
        boxes[small, :2] -= reach
        boxes[small, 2:] += reach
        scores[small | ~self.on_image(offsets.shape[1:], info)] = -1
        order = np.argsort(-scores, kind="stable")
        order = order[:self.rpn_pre_nms_top_n] if self.rpn_pre_nms_top_n > 0 else order
        boxes, scores = boxes[order], scores[order]
        indices = np.flatnonzero(survivors(boxes, self.threshold, pixel=1, limit=self.rpn_post_nms_top_n))
        filled = indices[np.arange(self.rpn_post_nms_top_n) % len(indices)]       # repeats boxes if there are too few
        return np.insert(boxes[filled], 0, number, 1), scores[filled, None]

    def on_image(self, space, info):
        """Returns a mask (n,) of the anchors that are inside the actual image, because a batch may be padded."""
        y, x = (np.arange(n) < int(length / self.feature_stride) for n, length in zip(space, info, strict=False))
        return np.repeat((y[:, None] & x).ravel(), self.shapes_of_anchors)

    def moved(self, offsets, info):
        """Returns the anchors of all positions moved by offsets (4 · count, h, w) and clipped to the image: (n, 4)."""
        _, h, w = offsets.shape
        y, x = (np.arange(n, dtype=offsets.dtype) * self.feature_stride for n in (h, w))
        shift = np.stack(np.broadcast_arrays(x, y[:, None], x, y[:, None]), -1)
        anchors = (shift[:, :, None] + self.base_anchors().astype(offsets.dtype)).reshape(-1, 4)
        moves = offsets.reshape(-1, 4, h, w).transpose(2, 3, 0, 1).reshape(-1, 4)
        if self.iou_loss:
            boxes = anchors + moves
        else:
            size = anchors[:, 2:] - anchors[:, :2] + 1
            middle = anchors[:, :2] + (size - 1) * offsets.dtype.type(0.5)
            with np.errstate(over="ignore"):
                middle, size = moves[:, :2] * size + middle, np.exp(moves[:, 2:]) * size
            half = (size - 1) * offsets.dtype.type(0.5)
            boxes = np.concatenate([middle - half, middle + half], 1)
        boxes = np.clip(boxes, 0, np.array([info[1], info[0]] * 2) - 1)
        return boxes.astype(offsets.dtype)


@register("cls_prob", "bbox_pred", "im_info")
class _contrib_Proposal(Proposals):
    """Proposals for one image: anchors moved by offsets; the best are kept after non-maximum suppression.

    cls_prob (1, 2 · anchors, h, w): scores of background, then of objects | bbox_pred (1, 4 · anchors, h, w): offsets |
    im_info (1, 3): height, width and scale of the image | out (rpn_post_nms_top_n, 5): 0 and corners |
    score (rpn_post_nms_top_n, 1), visible with output_score

    Raises ShapeError for more than one image.
    Source: Ren, He, Girshick and Sun 2015, Faster R-CNN, arXiv:1506.01497.

    >>> scores, offsets, info = nd.array([[[[0]], [[1]]]]), nd.zeros((1, 4, 1, 1)), nd.array([[64, 64, 1]])
    >>> how = {"scales": (2,), "ratios": (1,), "rpn_post_nms_top_n": 1}
    >>> print(nd.contrib.Proposal(scores, offsets, info, **how).asnumpy())      # -8 to 23, clipped at the edge
    [[ 0.  0.  0. 23. 23.]]
    """

    def check(self, cls_prob):
        super().check(cls_prob)
        if cls_prob[0] not in (None, 1):
            raise self.shape_clash(f"cls_prob has shape {cls_prob}: Proposal is for one image, MultiProposal for "
                                   "more", "cls_prob")


@register("cls_prob", "bbox_pred", "im_info")
class _contrib_MultiProposal(Proposals):
    """Proposals for each image in a batch: anchors moved by offsets; the best are kept after suppression.

    cls_prob (N, 2 · anchors, h, w): scores of background, then of objects | bbox_pred (N, 4 · anchors, h, w): offsets |
    im_info (N, 3): height, width and scale of each image | out (N · rpn_post_nms_top_n, 5): index of the image and
    corners | score (N · rpn_post_nms_top_n, 1), visible with output_score

    Source: Ren, He, Girshick and Sun 2015, Faster R-CNN, arXiv:1506.01497.

    >>> scores, offsets, info = nd.zeros((2, 2, 1, 1)), nd.zeros((2, 4, 1, 1)), nd.array([[64, 64, 1], [64, 16, 1]])
    >>> how = {"scales": (2,), "ratios": (1,), "rpn_post_nms_top_n": 1}
    >>> print(nd.contrib.MultiProposal(scores, offsets, info, **how).asnumpy())
    [[ 0.  0.  0. 23. 23.]
     [ 1.  0.  0. 15. 23.]]
    """
