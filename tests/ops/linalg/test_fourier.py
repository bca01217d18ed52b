"""The messages of Fourier transforms and sketches."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.ifft(zeros(2, 5)),
     "_contrib_ifft: data has shape (2, 5), expected an even last axis: real and imaginary parts"),
    (lambda: nd.contrib.count_sketch(zeros(2, 3), zeros(1, 2), zeros(1, 3), out_dim=4),
     "_contrib_count_sketch: h has shape (1, 2), expected (1, 3)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
