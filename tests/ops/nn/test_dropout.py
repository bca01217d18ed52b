"""Dropout: shares, modes, shared axes, and the messages."""

import numpy as np
import pytest
from helpers.errors import message

from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("Dropout", {"p": 1.5}, [(2,)], "Dropout: p=1.5 is not a probability, expected 0 to 1"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


def test_dropout_keeps_the_share_and_the_mean():
    x = nd.ones((200, 500))
    x.attach_grad()
    with autograd.record():
        y = nd.Dropout(x, p=0.3)
    y.backward()
    kept = y.asnumpy() != 0
    assert kept.mean() == pytest.approx(0.7, abs=0.006)         # 4 standard deviations of 100,000 draws
    np.testing.assert_allclose(y.asnumpy()[kept], 1 / 0.7, rtol=1e-6)
    np.testing.assert_array_equal(x.grad.asnumpy(), y.asnumpy())
    with autograd.train_mode():
        assert (nd.Dropout(x, p=0.3).asnumpy() != y.asnumpy()).any()


def test_dropout_modes_and_shared_axes():
    x = nd.ones((20, 30, 40))
    assert (nd.Dropout(x, p=0.5).asnumpy() == 1).all()
    y = nd.Dropout(x, p=0.5, mode="always", axes=(0, 2)).asnumpy()
    assert (y == y[:1, :, :1]).all()
    assert 5 <= (y[0, :, 0] == 0).sum() <= 25


def test_dropout_of_everything():
    x = nd.ones((2, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.Dropout(x, p=1)
    y.backward()
    assert y.asnumpy().tolist() == x.grad.asnumpy().tolist() == [[0, 0, 0], [0, 0, 0]]
