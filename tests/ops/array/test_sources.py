"""The messages of operators that make arrays."""

import pytest
from helpers.errors import assert_refused, operator_of

from minigluon import nd

MESSAGES = [
    (lambda: nd._arange(start=1, stop=2, step=0),
     "_arange: step must not be 0"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)
