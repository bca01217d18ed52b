"""The messages of Proposal."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError

MESSAGES = [
    (lambda: nd.contrib.Proposal(zeros(2, 24, 2, 2), zeros(2, 48, 2, 2), zeros(2, 3)),
     "_contrib_Proposal: cls_prob has shape (2, 24, 2, 2): Proposal is for one image, MultiProposal for more"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
