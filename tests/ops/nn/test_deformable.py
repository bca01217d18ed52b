"""Deformable convolution: straight windows, and the messages."""

import numpy as np
import pytest
from helpers.errors import assert_refused, operator_of
from helpers.small_arrays import zeros

from minigluon import nd
from minigluon.base import ShapeError


def test_straight_windows_are_a_convolution():
    x, w = nd.random.normal(shape=(2, 4, 6, 5)), nd.random.normal(shape=(3, 4, 3, 3))
    how = {"kernel": (3, 3), "pad": (1, 1), "num_filter": 3, "no_bias": True}
    wanted = nd.Convolution(x, w, **how).asnumpy()
    offset = zeros(2, 18, 6, 5)
    np.testing.assert_allclose(nd.contrib.DeformableConvolution(x, offset, w, **how).asnumpy(), wanted, atol=1e-5)
    np.testing.assert_allclose(nd.contrib.ModulatedDeformableConvolution(
        x, offset, nd.ones((2, 9, 6, 5)) / 2, w, **how).asnumpy(), wanted / 2, atol=1e-5)


MESSAGES = [
    (lambda: nd.contrib.DeformableConvolution(zeros(1, 3, 4, 4), zeros(1, 16, 2, 2), zeros(2, 3, 3, 3), zeros(2),
                                           kernel=(3, 3), num_filter=2, num_deformable_group=2),
     "_contrib_DeformableConvolution: num_deformable_group=2 does not divide the channels of data (1, 3, 4, 4)"),
]


@pytest.mark.parametrize(("call", "message"), MESSAGES, ids=operator_of)
def test_messages(call, message):
    assert_refused(call, message, ShapeError)
