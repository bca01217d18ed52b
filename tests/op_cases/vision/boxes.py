"""Boxes and detections. Their numbers have no NaN, and no gradient is taken of most: which box survives is a jump."""

import numpy as np

from ..case import case, distinct, fixed, ints, plain


def boxes(*shape, low=0.0, span=0.7):
    """Boxes with corners in the unit square; no gradient is taken for them."""
    def make(rng):
        first = rng.uniform(low, low + span, (*shape, 2))
        return np.concatenate([first, first + rng.uniform(0.05, 0.5, (*shape, 2))], -1)
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
