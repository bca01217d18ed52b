"""What many anchors shall find: several parts, objects that overlap by the same."""

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_many_anchors_shall_find(dtype):
    """Objects that several anchors overlap by the same, more objects than anchors, images without any."""
    for anchors, objects in ((500, 9), (6, 20)):
        corners = np.sort(RNG.integers(0, 9, (4, anchors + objects, 2, 2)) / 8, 2).reshape(4, -1, 4)
        label = np.concatenate([RNG.integers(-1, 30, (4, objects, 1)), corners[:, anchors:]], 2)
        label[0, :, 0] = 3
        for threshold in 0.5, -1.0:
            check("_contrib_MultiBoxTarget", corners[:1, :anchors], label, np.zeros((4, 2, anchors)), dtype=dtype,
                  overlap_threshold=threshold)
    boxes, samples = np.cumsum(RNG.uniform(size=(3, 701, 4)), -1), RNG.uniform(size=(3, 701))
    check("_contrib_box_encode", samples, RNG.integers(-2, 14, (3, 701)), boxes, boxes[:, :11] * 2, RNG.normal(size=4),
          RNG.uniform(1, 2, 4), dtype=dtype)
