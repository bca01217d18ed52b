"""The messages of operators that stretch arrays."""

import pytest
from helpers.errors import assert_refused, operator_of

from minigluon import nd
from minigluon.base import ShapeError

X = nd.ones((2, 3))


MESSAGES = [
    (lambda: nd.broadcast_to(X, shape=(4, 3)),
     "broadcast_to: data (2, 3) cannot be broadcast to (4, 3): only axes of length 1 can be stretched"),
    (lambda: nd.broadcast_to(X, shape=(3,)), "broadcast_to: data (2, 3) cannot be broadcast to shape=(3,)"),
    (lambda: nd.broadcast_axis(X, axis=(0, 1), size=(2,)),
     "broadcast_axis: axis=(0, 1) and size=(2,) have different lengths"),
    (lambda: nd.broadcast_like(X, nd.ones((3, 3))), "broadcast_like: lhs (2, 3) cannot be broadcast to (3, 3)"),
    (lambda: nd.broadcast_like(X, X, lhs_axes=(0,)),
     "broadcast_like: lhs_axes=(0,) and rhs_axes=None must name as many axes, and at least one"),
    (lambda: nd.broadcast_like(X, X, lhs_axes=(), rhs_axes=()),
     "broadcast_like: lhs_axes=() and rhs_axes=() must name as many axes, and at least one"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
