"""Rows of the operators in `minigluon/ops/vision/box_nms.py`."""

import numpy as np

from ..case import case, fixed, plain
from .boxes import boxes


def rows(*shape, kinds=3):
    """(class, score, corners), all scores different."""
    def make(rng):
        score = rng.permutation(np.linspace(-0.1, 1, int(np.prod(shape)))).reshape(*shape, 1)
        return np.concatenate([rng.integers(0, kinds, (*shape, 1)), score, boxes(*shape)(rng)], -1)
    return make
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
