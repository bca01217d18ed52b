"""Orders of axes: large transposes, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.transpose(zeros(2, 3), axes=(0, 0)),
     "transpose: axes=(0, 0) is not an order of the 2 axes of data"),
    (lambda: nd.depth_to_space(zeros(2, 3), block_size=2),
     "depth_to_space: data has shape (2, 3), expected 4 dimensions"),
    (lambda: nd.depth_to_space(zeros(1, 3, 2, 2), block_size=2),
     "depth_to_space: axis 1 of data (1, 3, 2, 2) is not a multiple of 4 (block_size=2)"),
    (lambda: nd.depth_to_space(zeros(1, 3, 2, 2), block_size=0),
     "depth_to_space: block_size=0 must be at least 1"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


def test_large_transposes_go_in_blocks():
    x = np.arange(300 * 250, dtype="float32").reshape(300, 250)         # more than LARGE, and no multiple of STRIP
    assert (nd.array(x).T.asnumpy() == x.T).all()
    y = nd.array(x.reshape(3, 100, 250)).transpose((0, 2, 1)).asnumpy()
    assert (y == x.reshape(3, 100, 250).transpose(0, 2, 1)).all()
