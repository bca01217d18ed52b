"""Products of matrices and fully connected layers beyond their rows: drawn shapes against plain sums, messages."""

import numpy as np
import pytest
from helpers.numeric import numbers
from hypothesis import given
from hypothesis import strategies as st

from minigluon import nd
from minigluon.base import ShapeError

shapes = st.lists(st.integers(1, 4), max_size=3)


@given(shapes, shapes, st.integers(1, 5))
def test_dot_sums_over_the_last_axis_and_the_first(left, right, depth):
    """Each element by itself: the product of a row of `a` with a column of `b`."""
    a, b = numbers((*left, depth), "float64"), numbers((depth, *right), "float64", 1)
    got = nd.dot(nd.array(a, dtype="float64"), nd.array(b, dtype="float64")).asnumpy()
    assert got.shape == ((*left, *right) or (1,))
    for i in np.ndindex(*left):
        for j in np.ndindex(*right):
            assert got[i + j or 0] == pytest.approx(sum(a[(*i, k)] * b[(k, *j)] for k in range(depth)))


@pytest.mark.parametrize("flatten", [True, False])
@given(shapes.filter(len), st.integers(1, 5), st.integers(1, 5), st.booleans())
def test_fully_connected_weighs_each_item(flatten, batch, depth, units, no_bias):
    data = numbers((*batch, depth), "float64")
    items = data.reshape(batch[0], -1) if flatten else data
    weight, bias = numbers((units, items.shape[-1]), "float64", 1), numbers(units, "float64", 2)
    inputs = [nd.array(x, dtype="float64") for x in (data, weight, bias)]
    got = nd.FullyConnected(*inputs[:3 - no_bias], num_hidden=units, no_bias=no_bias, flatten=flatten).asnumpy()
    assert got.shape == (*items.shape[:-1], units)
    for i in np.ndindex(*got.shape):
        expected = sum(items[i[:-1]] * weight[i[-1]]) + (0 if no_bias else bias[i[-1]])
        assert got[i] == pytest.approx(expected)


@pytest.mark.parametrize(("flags", "text"), [
    ({}, "the last axis of lhs has length 3, but the first axis of rhs has 4"),
    ({"transpose_a": True}, "the first axis of lhs has length 2, but the first axis of rhs has 4"),
    ({"transpose_b": True}, "the last axis of lhs has length 3, but the last axis of rhs has 5"),
])
def test_dot_names_the_axes_that_do_not_fit(flags, text):
    with pytest.raises(ShapeError) as error:
        nd.dot(nd.ones((2, 3)), nd.ones((4, 5)), **flags)
    assert str(error.value).splitlines()[0] == f"dot: {text}; the product runs over both, so they must be equal"
