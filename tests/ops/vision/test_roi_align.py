"""The messages of ROIAlign."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.ROIAlign(zeros(1, 3, 4, 4), zeros(2, 5), pooled_size=(2, 2), spatial_scale=1,
                              position_sensitive=True),
     "_contrib_ROIAlign: data has 3 channels, expected a multiple of 4, one for each bin of pooled_size=(2, 2)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
