"""Many boxes with many others, and boxes with offsets."""

import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.twin_checks import RNG, check


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("form", ["corner", "center"])
def test_many_boxes(form, dtype):
    boxes, others = RNG.normal(size=(150, 4)), RNG.normal(size=(3, 11, 4))
    check("_contrib_box_iou", boxes, others, dtype=dtype, format=form)
    offsets, anchors = RNG.normal(size=(3, 701, 4)), RNG.uniform(size=(1, 701, 4))
    for clip in -1.0, 0.3:
        check("_contrib_box_decode", offsets, anchors, dtype=dtype, format=form, clip=clip, std0=0.1, std2=0.2)
