"""The messages of BilinearResize2D and AdaptiveAvgPooling2D."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.BilinearResize2D(zeros(1, 1, 2, 2), mode="odd_scale"),
     "_contrib_BilinearResize2D: mode='odd_scale' needs scale_height and scale_width"),
    (lambda: nd.contrib.AdaptiveAvgPooling2D(zeros(1, 1, 2, 2), output_size=(1, 2, 3)),
     "_contrib_AdaptiveAvgPooling2D: output_size=(1, 2, 3) must be one or two positive numbers"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
