"""The messages of products between queries, keys and values."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.interleaved_matmul_selfatt_qk(zeros(3, 2, 10), heads=2),
     "_contrib_interleaved_matmul_selfatt_qk: queries_keys_values has shape (3, 2, 10), expected a last axis of "
     "heads · 3 · head_dim, with heads=2"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
