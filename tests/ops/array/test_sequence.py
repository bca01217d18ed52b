"""The messages of operators on sequences."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd.SequenceMask(zeros(3)),
     "SequenceMask: data (3,) must have two dimensions or more and axis=0 be 0 or 1: (T, N, ...) with axis=0, (N, "
     "T, ...) with axis=1"),
    (lambda: nd.SequenceLast(zeros(3, 2), zeros(3), use_sequence_length=True),
     "SequenceLast: sequence_length has shape (3,), expected (2,)"),
    (lambda: nd.SequenceReverse(zeros(3, 2), axis=2),
     "SequenceReverse: data (3, 2) must have two dimensions or more and axis=2 be 0 or 1: (T, N, ...) with axis=0,"
     " (N, T, ...) with axis=1"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
