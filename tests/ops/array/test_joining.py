"""Joining and splitting: gradients of parts, and the messages."""

import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import autograd, nd

MESSAGES = [
    (lambda: nd.concat(zeros(2, 3), zeros(3, 3), dim=1),
     "Concat: data1 has shape (3, 3) and data0 has (2, 3); all axes but the joined one, 1, must be equal"),
    (lambda: nd.split(zeros(2, 3), num_outputs=2),
     "SliceChannel: axis 1 has length 3, which cannot be split into 2 equal parts"),
    (lambda: nd.split(zeros(2, 4), num_outputs=2, squeeze_axis=True),
     "SliceChannel: squeeze_axis=True needs parts of length 1, but axis 1 of data (2, 4) is split into lengths [2,"
     " 2]"),
    (lambda: nd._split_v2(zeros(2, 5), indices=(0, 3, 2)),
     "_split_v2: the cuts [3, 2] are not in increasing order within the 5 elements of axis 1"),
    (lambda: nd._split_v2(zeros(2, 5), indices=(), sections=2),
     "_split_v2: axis 1 has length 5, which cannot be split into 2 equal parts"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message)


def test_split_v2_and_histogram():
    x = nd.arange(6)
    assert [p.asnumpy().tolist() for p in nd.split_v2(x, (2, 3))] == [[0, 1], [2], [3, 4, 5]]
    assert [p.shape for p in nd.split_v2(x, 6, squeeze_axis=True)] == [(1,)] * 6
    counts, edges = nd.histogram(x, bins=2, range=(0, 5))
    assert counts.dtype.__name__ == "int64"
    assert counts.asnumpy().tolist() == [3, 3]
    assert edges.asnumpy().tolist() == [0, 2.5, 5]


def test_the_gradient_of_a_vector_split_into_numbers_is_a_vector():
    x = nd.array([1, 2, 3])
    x.attach_grad()
    with autograd.record():
        parts = nd.split(x, num_outputs=3, axis=0, squeeze_axis=True)
        y = parts[0] * 5 + parts[2]
    y.backward()
    assert x.grad.asnumpy().tolist() == [5, 0, 1]
