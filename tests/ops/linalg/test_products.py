"""Products of batches: both namespaces have them, and the messages."""

import pytest
from helpers.errors import message, operator_of

import minigluon as mx
from minigluon import nd
from minigluon.base import ShapeError

WHOLE_MESSAGES = [
    (lambda: nd.batch_dot(nd.ones((2, 3, 4)), nd.ones((2, 5, 6))), ShapeError,
     "batch_dot: axis -1 of lhs (2, 3, 4) has length 4, but axis -2 of rhs (2, 5, 6) has 5; the product runs over "
     "both, so they must be equal\n"
     "  inputs: lhs (2, 3, 4) float32, rhs (2, 5, 6) float32\n"
     "  attributes: transpose_a=False, transpose_b=False, forward_stype=None\n"
     "  remedy: change one of the shapes; transpose_a=True and transpose_b=True take the other axis"),
    (lambda: nd.batch_dot(nd.ones((2, 3, 4)), nd.ones((4, 6))), ShapeError,
     "batch_dot: rhs has shape (4, 6), expected 3 dimensions as lhs has\n"
     "  inputs: lhs (2, 3, 4) float32, rhs (4, 6) float32\n"
     "  attributes: transpose_a=False, transpose_b=False, forward_stype=None"),
]


@pytest.mark.parametrize(("call", "error", "text"), WHOLE_MESSAGES, ids=operator_of)
def test_whole_messages(call, error, text):
    assert message(error, call) == text


def test_both_namespaces_have_them():
    x = mx.sym.Variable("x")
    assert mx.sym.linalg.gemm2(x, x, transpose_b=True).infer_shape(x=(2, 3, 4))[1] == [(2, 3, 3)]
    assert nd.linalg_gemm2.op is nd.linalg.gemm2.op
