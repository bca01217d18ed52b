"""Grids and samplers: a grid that changes nothing, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError


def test_a_grid_that_changes_nothing():
    x = nd.random.normal(shape=(1, 2, 4, 5))
    identity = nd.array([[1, 0, 0, 0, 1, 0]])
    grid = nd.GridGenerator(identity, transform_type="affine", target_shape=(4, 5))
    np.testing.assert_allclose(nd.BilinearSampler(x, grid).asnumpy(), x.asnumpy(), atol=1e-5)
    np.testing.assert_allclose(nd.contrib.BilinearResize2D(x, height=4, width=5).asnumpy(), x.asnumpy())


MESSAGES = [
    (lambda: nd.GridGenerator(zeros(1, 6), transform_type="affine"),
     "GridGenerator: target_shape=(0, 0) must be two positive numbers, (h, w), for transform_type='affine'"),
    (lambda: nd.BilinearSampler(zeros(1, 1, 2, 2), zeros(1, 3, 2, 2)),
     "BilinearSampler: grid has shape (1, 3, 2, 2), expected (1, 2, ?, ?)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
