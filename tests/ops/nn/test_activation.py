"""LeakyReLU: random slopes, slopes for the first axes, and the messages."""

import numpy as np
import pytest
from helpers.errors import message

from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("LeakyReLU", {"act_type": "prelu"}, [(2, 3), (4,)], "LeakyReLU: gamma has shape (4,), expected (3,)"),
    ("LeakyReLU", {"act_type": "prelu"}, [(2, 3, 4), (3, 2)],
     "LeakyReLU: gamma has shape (3, 2), expected lengths of the first axes of data (2, 3, 4), or 1, and fewer of "
     "them"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


def test_rrelu_draws_between_its_bounds_while_training():
    x = -nd.ones((100, 100))
    x.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, act_type="rrelu", lower_bound=.1, upper_bound=.3)
    y.backward()
    slopes = -y.asnumpy()
    assert .1 <= slopes.min() < .101
    assert .299 < slopes.max() <= .3
    assert slopes.mean() == pytest.approx(.2, abs=.0025)
    np.testing.assert_array_equal(x.grad.asnumpy(), slopes)


def test_slopes_for_the_first_axes():
    """The numbers are those of real MXNet 1.9.1."""
    x, slopes = nd.array([[[-1, -2], [3, -4]], [[-5, 6], [-7, -8]]]), nd.array([[0.1, 0.2], [0.3, 0.4]])
    for array in x, slopes:
        array.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, slopes, act_type="prelu")
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), [[[-0.1, -0.2], [3, -0.8]], [[-1.5, 6], [-2.8, -3.2]]], 1e-6)
    np.testing.assert_allclose(x.grad.asnumpy(), [[[0.1, 0.1], [1, 0.2]], [[0.3, 1], [0.4, 0.4]]], 1e-6)
    assert slopes.grad.asnumpy().tolist() == [[-3, -4], [-5, -15]]
