"""Reshaping: what codes mean, and the messages."""

import json

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros
from records import DATA

from minigluon import nd

MESSAGES = [
    (lambda: nd.reshape(zeros(2, 3), shape=(4, 2)),
     "Reshape: data (2, 3) has 6 elements, but shape=(4, 2) asks for (4, 2), which has 8"),
    (lambda: nd.reshape(zeros(2, 3), shape=(0, 0, 0)),
     "Reshape: shape=(0, 0, 0) refers to more dimensions than data (2, 3) has"),
    (lambda: nd.reshape(zeros(2, 3), shape=(-4, 4, -1, 3)),
     "Reshape: shape=(-4, 4, -1, 3) cannot split 2 into 4 x -1"),
    (lambda: nd.reshape(zeros(2, 3), shape=(-1, -1)),
     "Reshape: shape=(-1, -1) has more than one -1"),
    (lambda: nd.reshape(zeros(2, 3), shape=(-4, 2)),
     "Reshape: shape=(-4, 2) has a -4 without the two numbers that belong to it"),
    (lambda: nd.reshape_like(zeros(2, 3), zeros(4)),
     "reshape_like: lhs (2, 3) has 6 elements, but the result (4,) has 4"),
    (lambda: nd.expand_dims(zeros(2, 3), axis=4),
     "expand_dims: axis 4 is out of range for 3 dimensions; the axes are -3 to 2"),
    (lambda: nd.squeeze(zeros(2, 3), axis=1),
     "squeeze: axis 1 of data (2, 3) has length 3; only an axis of length 1 can be left out"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


RESHAPES = json.loads((DATA / "mxnet_reshape.json").read_text())


def test_reshape_codes_like_mxnet():
    """[source, codes, reverse, result] of 400 random draws, as MXNet 1.9.1 answered them."""
    wrong = []
    for source, codes, reverse, expected in RESHAPES:
        found = nd.Reshape.op(shape=codes, reverse=reverse).infer_shape(tuple(source))[1][0]
        if found != tuple(expected):
            wrong.append((source, codes, reverse, found, expected))
    assert len(RESHAPES) == 400
    assert not wrong
