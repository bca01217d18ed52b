"""Suppression of boxes: gradients of the rows that survive, how many rows there may be, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY


def test_suppression_sends_gradients_back_to_the_rows_that_survived():
    """The example of MXNet's documentation."""
    x = nd.array([[0, 0.5, 0.1, 0.1, 0.2, 0.2], [1, 0.4, 0.1, 0.1, 0.2, 0.2], [0, 0.3, 0.1, 0.1, 0.14, 0.14],
                  [2, 0.6, 0.5, 0.5, 0.7, 0.8]])
    x.attach_grad()
    with autograd.record():
        y = nd.contrib.box_nms(x, overlap_thresh=0.1, coord_start=2, score_index=1, id_index=0, force_suppress=True)
    np.testing.assert_array_equal(y.asnumpy(), np.concatenate([x.asnumpy()[[3, 0]], np.full((2, 6), -1)]))
    y.backward(nd.array([[k / 10] * 6 for k in (1, 2, 3, 4)]))
    np.testing.assert_allclose(x.grad.asnumpy()[:, 0], [0.2, 0, 0, 0.1])


@pytest.mark.parametrize(("op", "shapes"), [
    (REGISTRY["_contrib_box_nms"](), [(1, 2 ** 31, 6)]),
    (REGISTRY["ROIPooling"](pooled_size=(2, 2), spatial_scale=1), [(1, 1, 2 ** 16, 2 ** 15), (1, 5)])])
def test_numbers_that_int32_cannot_hold_are_refused(op, shapes):
    with pytest.raises(ShapeError, match="are int32: at most 2147483647"):
        op.infer_shape(*shapes)
    op.infer_shape(*[tuple(n - (n == 2 ** 31 or n == 2 ** 15) for n in shape) for shape in shapes])


MESSAGES = [
    (lambda: nd.contrib.box_nms(zeros(3, 5)), "_contrib_box_nms: coord_start=2 does not fit into rows of 5 numbers"),
    (lambda: nd.contrib.box_nms(zeros(6)), "_contrib_box_nms: data has shape (6,), expected rows of boxes"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
