"""The messages of ROIPooling and PSROIPooling."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.ROIPooling(zeros(1, 1, 4, 4), zeros(2, 4), pooled_size=(2, 2), spatial_scale=1),
     "ROIPooling: rois has shape (2, 4), expected (?, 5)"),
    (lambda: nd.contrib.PSROIPooling(zeros(1, 3, 4, 4), zeros(2, 5), pooled_size=2, output_dim=1, spatial_scale=1),
     "_contrib_PSROIPooling: data has 3 channels, expected output_dim · group_size² = 4"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
