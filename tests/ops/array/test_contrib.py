"""Masks that select rows, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd

MESSAGES = [
    (lambda: nd._contrib_index_copy(zeros(2, 3), zeros(1) + 2, zeros(1, 3)),
     "_contrib_index_copy: index 2 is out of range; indices must be at least 0 and less than 2."),
    (lambda: nd._histogram(zeros(3), bin_cnt=3),
     "_histogram: bin_cnt=3 must be positive and come with range=(low, high), found range=None"),
    (lambda: nd._contrib_boolean_mask(zeros(2, 3), zeros(3)),
     "_contrib_boolean_mask: index has shape (3,), expected (2,)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


def test_a_mask_may_select_another_number_of_rows_each_time():
    x = nd.array([[1, 2], [3, 4], [5, 6]])
    for index, rows in ([1, 0, 1], [[1, 2], [5, 6]]), ([0, 1, 0], [[3, 4]]), ([1, 1, 1], x.asnumpy().tolist()):
        assert nd._contrib_boolean_mask(x, nd.array(index)).asnumpy().tolist() == rows


def test_div_sqrt_dim_keeps_integers():
    y = nd.contrib.div_sqrt_dim(nd.array([[7, -7, 4, 1]], dtype="int32"))
    assert y.dtype is np.int32
    assert y.asnumpy().tolist() == [[3, -3, 2, 0]]
