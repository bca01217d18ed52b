"""The messages of Khatri-Rao products."""

import pytest
from helpers.errors import assert_refused, operator_of

from minigluon import nd
from minigluon.base import ShapeError

X = nd.ones((2, 3))


MESSAGES = [
    (lambda: nd.khatri_rao(X, nd.ones((4, 2))), "khatri_rao: args1 has shape (4, 2), expected (?, 3)"),
    (lambda: nd.khatri_rao(X, nd.ones((3,))), "khatri_rao: args1 has shape (3,), expected 2 dimensions"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
