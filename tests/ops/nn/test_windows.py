"""The messages of im2col and col2im."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.im2col(zeros(1, 1, 2, 2), kernel=(3, 3)),
     "im2col: a kernel of (3, 3) with dilate=() does not fit into the plane (2, 2) with pad=()"),
    (lambda: nd.col2im(zeros(1, 4, 4), kernel=(2, 2), output_size=(3,)),
     "col2im: output_size=(3,) and kernel=(2, 2) must have the same length"),
    (lambda: nd.col2im(zeros(1, 3, 4), kernel=(2, 2), output_size=(3, 3)),
     "col2im: axis 1 of data (1, 3, 4) is not a multiple of the 4 elements of kernel=(2, 2)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
