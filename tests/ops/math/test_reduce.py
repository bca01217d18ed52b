"""What reductions and stretching operators say when they are called wrongly."""

import pytest

from minigluon import nd
from minigluon.base import ShapeError

X = nd.ones((2, 3))


@pytest.mark.parametrize(("call", "message"), [
    (lambda: nd.sum(X, axis=2), "sum: axis 2 is out of range for 2 dimensions"),
    (lambda: nd.sum(X, axis=(1, -1)), "sum: axis=(1, -1) names an axis of 2 dimensions twice"),
    (lambda: nd.norm(X, ord=3), "norm: ord is 3, expected 1 or 2"),
    (lambda: nd.argmax(nd.zeros((0, 3)), axis=0), "argmax: data (0, 3) has no element along axis=0"),
    (lambda: nd.argmax_channel(nd.ones((3,))), "argmax_channel: data has shape (3,), expected (N, C, ...) with C > 0"),
    (lambda: nd.max(nd.zeros((0, 3))), "max: data (0, 3) has no element along axis=None"),
    (lambda: nd.min(nd.zeros((0, 3)), axis=0), "min: data (0, 3) has no element along axis=(0,)"),
    (lambda: nd.broadcast_to(X, shape=(4, 3)),
     "broadcast_to: data (2, 3) cannot be broadcast to (4, 3): only axes of length 1 can be stretched"),
    (lambda: nd.broadcast_to(X, shape=(3,)), "broadcast_to: data (2, 3) cannot be broadcast to shape=(3,)"),
    (lambda: nd.broadcast_axis(X, axis=(0, 1), size=(2,)),
     "broadcast_axis: axis=(0, 1) and size=(2,) have different lengths"),
    (lambda: nd.broadcast_like(X, nd.ones((3, 3))), "broadcast_like: lhs (2, 3) cannot be broadcast to (3, 3)"),
    (lambda: nd.broadcast_like(X, X, lhs_axes=(0,)),
     "broadcast_like: lhs_axes=(0,) and rhs_axes=None must name as many axes"),
    (lambda: nd.broadcast_add(X, nd.ones((4,))),
     "broadcast_add: shapes (2, 3) of lhs and (4,) of rhs cannot be broadcast together; each pair of dimensions, from "
     "the right, must be equal or have a 1"),
    (lambda: nd.khatri_rao(X, nd.ones((4, 2))), "khatri_rao: args1 has shape (4, 2), expected (?, 3)"),
    (lambda: nd.khatri_rao(X, nd.ones((3,))), "khatri_rao: args1 has shape (3,), expected 2 dimensions"),
])
def test_errors(call, message):
    with pytest.raises(ShapeError) as error:
        call()
    assert str(error.value).splitlines()[0] == message
