"""Boxes: encoding and decoding, types, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import DTypeError, ShapeError


def test_encoding_and_decoding_are_each_others_reverse():
    rng = np.random.default_rng(0)
    anchors, boxes = (np.sort(rng.uniform(size=(1, 6, 2, 2)), 2).reshape(1, 6, 4) for _ in range(2))
    targets, mask = nd.contrib.box_encode(nd.ones((1, 6)), nd.array([range(6)]), nd.array(anchors), nd.array(boxes),
                                       nd.zeros((4,)), nd.array([0.1, 0.1, 0.2, 0.2]))
    back = nd.contrib.box_decode(targets, nd.array(anchors), 0.1, 0.1, 0.2, 0.2, format="corner")
    np.testing.assert_allclose(back.asnumpy(), boxes, rtol=1e-4, atol=1e-5)
    assert mask.asnumpy().min() == 1


MESSAGES = [
    (lambda: nd.contrib.box_iou(zeros(2, 3), zeros(2, 4)), "_contrib_box_iou: lhs has shape (2, 3), expected (2, 4)"),
    (lambda: nd.contrib.bipartite_matching(zeros(6), threshold=1),
     "_contrib_bipartite_matching: data has shape (6,), expected rows and columns of scores"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)


def test_whole_numbers_are_refused():
    with pytest.raises(DTypeError) as caught:
        nd.contrib.box_iou(nd.zeros((2, 4), dtype="int32"), nd.zeros((2, 4), dtype="int32"))
    assert str(caught.value).splitlines()[0] == (
        "_contrib_box_iou: lhs is int32, expected a floating-point dtype. Convert with .astype('float32').")
