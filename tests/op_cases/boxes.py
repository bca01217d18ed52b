"""Boxes and detections. Their numbers have no NaN, and no gradient is taken of most: which box survives is a jump."""

import numpy as np

from .case import case, distinct, fixed, ints


def boxes(*shape, low=0.0, span=0.7):
    """Boxes with corners in the unit square; no gradient is taken for them."""
    def make(rng):
        first = rng.uniform(low, low + span, (*shape, 2))
        return np.concatenate([first, first + rng.uniform(0.05, 0.5, (*shape, 2))], -1)
    make.floating = False
    return make


def rows(*shape, kinds=3):
    """(class, score, corners), all scores different."""
    def make(rng):
        score = rng.permutation(np.linspace(-0.1, 1, int(np.prod(shape)))).reshape(*shape, 1)
        return np.concatenate([rng.integers(0, kinds, (*shape, 1)), score, boxes(*shape)(rng)], -1)
    return make


def plain(maker):
    """The same numbers, of which no gradient is taken."""
    def make(rng):
        return maker(rng)
    make.floating = False
    return make


def overlaps(a, b):
    size = np.clip(np.minimum(a[:, None, 2:], b[:, 2:]) - np.maximum(a[:, None, :2], b[:, :2]), 0, None)
    shared, area = size.prod(-1), [np.prod(x[:, 2:] - x[:, :2], -1) for x in (a, b)]
    return shared / (area[0][:, None] + area[1] - shared)


case("_contrib_box_iou", boxes(5), boxes(4), expect=overlaps)
case("_contrib_box_iou", boxes(2, 3), boxes(4), format="center")
case("_contrib_bipartite_matching", fixed([[0.5, 0.6], [0.1, 0.2], [0.3, 0.4]], floating=False), threshold=1e-12,
     expect=lambda x: (np.array([1, -1, 0]), np.array([2, 0])))
case("_contrib_bipartite_matching", plain(distinct(2, 4, 5)), threshold=0.3, is_ascend=True, topk=2)
case("_contrib_box_encode", ints(2, 6, low=-1, high=2), ints(2, 6, high=3), boxes(2, 6), boxes(2, 3),
     fixed([0.1, 0.2, 0.3, 0.4], floating=False), fixed([0.1, 0.1, 0.2, 0.2], floating=False))
case("_contrib_box_decode", plain(distinct(2, 6, 4)), boxes(1, 6), std0=0.1, std1=0.1, std2=0.2, std3=0.2)
case("_contrib_box_decode", plain(distinct(2, 6, 4)), boxes(1, 6), clip=0.3, format="corner")
_four = [[0, 0.5, 0.1, 0.1, 0.2, 0.2], [1, 0.4, 0.1, 0.1, 0.2, 0.2], [0, 0.3, 0.1, 0.1, 0.14, 0.14],
         [2, 0.6, 0.5, 0.5, 0.7, 0.8]]
case("_contrib_box_nms", plain(fixed(_four)), overlap_thresh=0.1, id_index=0, force_suppress=True,
     expect=lambda x: np.concatenate([x[[3, 0]], np.full((2, 6), -1)]))
case("_contrib_box_nms", rows(6), overlap_thresh=0.2)
# A class that moves a little is another one, and MXNet's gradient leaves out what turns the format.
case("_contrib_box_nms", plain(rows(2, 9)), id_index=0, background_id=2, overlap_thresh=0.2)
case("_contrib_box_nms", plain(rows(7)), topk=4, valid_thresh=0.1, in_format="center", out_format="corner",
     overlap_thresh=0.3)
case("_contrib_box_non_maximum_suppression", plain(rows(6)), out_format="center")


def labels(rng):
    """Three objects in the first image, two in the second, none in the third."""
    label = np.concatenate([rng.integers(0, 3, (3, 3, 1)), boxes(3, 3)(rng)], -1)
    label[1, 2:], label[2] = -1, -1
    return label


labels.floating = False
_scores = plain(distinct(3, 4, 30))
case("_contrib_MultiBoxPrior", ints(2, 3, 4, 5), sizes=(0.5, 0.25), ratios=(1, 2, 0.5), dtype="float32")
case("_contrib_MultiBoxPrior", ints(1, 1, 2, 3), sizes=(0.7,), ratios=(2, 0.5), clip=True, steps=(0.4, 0.3),
     dtype="float32", offsets=(0.2, 0.6))
case("_contrib_MultiBoxTarget", boxes(1, 30), labels, _scores, dtype="float32")
case("_contrib_MultiBoxTarget", boxes(1, 30), labels, _scores, overlap_threshold=0.3, negative_mining_ratio=2.0,
     dtype="float32", negative_mining_thresh=0.4, ignore_label=-3.0, variances=(0.1, 0.2, 0.3, 0.4))


def probabilities(rng):
    powers = np.exp(3 * rng.normal(size=(2, 4, 20)))
    return powers / powers.sum(1, keepdims=True)


probabilities.floating = False
_offsets = plain(distinct(2, 80))
case("_contrib_MultiBoxDetection", probabilities, _offsets, boxes(1, 20), nms_threshold=0.3, dtype="float32")
case("_contrib_MultiBoxDetection", probabilities, _offsets, boxes(1, 20), threshold=0.4, clip=False, dtype="float32",
     force_suppress=True, nms_threshold=0.2)
case("_contrib_MultiBoxDetection", probabilities, _offsets, boxes(1, 20), nms_topk=5, dtype="float32",
     oracle="MXNet leaves the rows beyond nms_topk in another order")
case("_contrib_MultiBoxDetection", probabilities, _offsets, boxes(1, 20), nms_threshold=-1.0, dtype="float32")
