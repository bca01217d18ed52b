"""The messages of operators that look elements up by their positions."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.gather_nd(zeros(2, 3), zeros(2)),
     "gather_nd: indices (2,) must have two dimensions or more, and at most as many rows as data (2, 3) has axes"),
    (lambda: nd.gather_nd(zeros(2, 3), zeros(1, 1) + 2),
     "gather_nd: index 2 is out of range for axis 0, which has length 2."),
    (lambda: nd.scatter_nd(zeros(2), zeros(3, 2), shape=(2, 3)),
     "scatter_nd: indices (3, 2) must have two dimensions or more, and at most as many rows as shape=(2, 3) has "
     "axes"),
    (lambda: nd.scatter_nd(zeros(2), zeros(2, 2) - 4, shape=(2, 3)),
     "scatter_nd: index -4 is out of range for axis 0, which has length 2."),
    (lambda: nd.ravel_multi_index(zeros(3, 2), shape=(2, 3)),
     "_ravel_multi_index: data (3, 2) must have a row for each of the axes of shape=(2, 3)"),
    (lambda: nd.unravel_index(zeros(3)),
     "_unravel_index: needs the attribute shape, of the array that the numbers belong to"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
