"""The messages of DeformablePSROIPooling."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.DeformablePSROIPooling(zeros(1, 3, 4, 4), zeros(2, 5), zeros(2, 2, 2, 2), pooled_size=2,
                                            output_dim=1, group_size=2, spatial_scale=1),
     "_contrib_DeformablePSROIPooling: data has shape (1, 3, 4, 4), expected (?, 4, ?, ?)"),
    (lambda: nd.contrib.DeformablePSROIPooling(zeros(1, 4, 4, 4), zeros(2, 5), zeros(2, 4, 2, 2), pooled_size=2,
                                            output_dim=1, group_size=2, spatial_scale=1),
     "_contrib_DeformablePSROIPooling: trans has 4 channels, expected 2 for each class, in a number of classes that "
     "divides output_dim=1"),
    (lambda: nd.contrib.DeformablePSROIPooling(zeros(1, 4, 4, 4), zeros(2, 5), pooled_size=0, output_dim=1,
                                            group_size=2, spatial_scale=1, no_trans=True),
     "_contrib_DeformablePSROIPooling: pooled_size=0 must be 1 or more"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
