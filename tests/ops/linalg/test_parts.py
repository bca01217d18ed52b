"""The messages of operators that take parts of matrices."""

import pytest
from helpers.errors import message, operator_of

from minigluon import nd
from minigluon.base import ShapeError

WHOLE_MESSAGES = [
    (lambda: nd.linalg.maketrian(nd.ones((4,))), ShapeError,
     "_linalg_maketrian: A has 4 elements in its last axis, which do not fill a triangle\n  inputs: A (4,) float32\n"
     "  attributes: offset=0, lower=True"),
    (lambda: nd.linalg.extractdiag(nd.ones((2, 2)), offset=2), ShapeError,
     "_linalg_extractdiag: offset 2 is out of range for A of shape (2, 2)\n  inputs: A (2, 2) float32\n"
     "  attributes: offset=2"),
]


@pytest.mark.parametrize(("call", "error", "text"), WHOLE_MESSAGES, ids=operator_of)
def test_whole_messages(call, error, text):
    assert message(error, call) == text
