"""The messages of operators that cut pieces out of arrays."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.slice(zeros(2, 3), begin=(0, 1), end=(1,)),
     "slice: begin=(0, 1), end=(1,) and step=() must have the same length"),
    (lambda: nd.slice(zeros(2), begin=(0, 1), end=(1, 2)),
     "slice: begin=(0, 1) names more axes than the 1 of (2,)"),
    (lambda: nd.slice(zeros(2), begin=(0,), end=(1,), step=(0,)),
     "slice: step=(0,) must not contain 0"),
    (lambda: nd.slice_axis(zeros(2, 3), axis=1, begin=1, end=5),
     "slice_axis: begin=1 and end=5 do not lie in order within the 3 elements of axis 1 of data (2, 3)"),
    (lambda: nd.slice_like(zeros(2, 3), zeros(2)),
     "slice_like: data (2, 3) and shape_like (2,) must have the same number of dimensions when no axes are given"),
    (lambda: nd.slice_like(zeros(2, 3), zeros(3, 3)),
     "slice_like: axis 0 of shape_like (3, 3) is longer than that of data (2, 3)"),
    (lambda: nd.Crop(zeros(1, 1, 3, 3), h_w=(2, 4)),
     "Crop: a window of (2, 4) at offset (0, 0) does not fit into data (1, 1, 3, 3)"),
    (lambda: nd.Crop(zeros(1, 1, 3, 3), zeros(1, 1, 3, 3), zeros(1, 1, 3, 3)),
     "Crop: takes one or two inputs, found 3"),
    (lambda: nd.diag(zeros(2, 3), k=3),
     "diag: data (2, 3) has no diagonal k=3 in axes 0 and 1"),
    (lambda: nd.diag(zeros(2, 3), axis2=0),
     "diag: axis1=0 and axis2=0 are the same axis"),
    (lambda: nd._slice_assign(zeros(2, 3), zeros(3), begin=(0,), end=(1,)),
     "_slice_assign: rhs has shape (3,), expected (1, 3)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
