"""The messages of Correlation."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.Correlation(zeros(1, 1, 2, 2), zeros(1, 1, 2, 2)),
     "Correlation: data1 (1, 1, 2, 2) is too small for max_displacement=1 and kernel_size=1: pad it with pad_size"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
