"""Rows of the operators in `minigluon/ops/vision/multibox.py`."""

import numpy as np

from ..case import case, distinct, ints, plain
from .boxes import boxes


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
