"""Softmax and its relatives: a distribution for any logits, types, and the messages."""

import numpy as np
import pytest
from helpers.errors import message
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import nd
from minigluon.base import DTypeError, ShapeError
from minigluon.ops import REGISTRY

SHAPE_MESSAGES = [
    ("softmin", {"use_length": True}, [(2, 3)],
     "softmin: use_length=True needs the input length, which only softmax has"),
    ("softmax", {"use_length": True}, [(2, 3), (3,)], "softmax: length has shape (3,), expected (2,)"),
    ("softmax", {"axis": 2}, [(2, 3)],
     "softmax: axis 2 is out of range for 2 dimensions; the axes are -2 to 1"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text


@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-2.0 ** 99, 2.0 ** 99, width=32), min_size=1, max_size=6), st.sampled_from([None, 0.1, 30.0]))
def test_softmax_is_a_distribution_for_any_logits(logits, temperature):
    x = nd.array([logits])
    y = nd.softmax(x, temperature=temperature).asnumpy()
    assert np.isfinite(y).all()
    assert y.min() >= 0
    assert y.sum() == pytest.approx(1, abs=1e-6)
    assert y[0, np.argmax(logits)] == y.max()
    assert not np.isnan(nd.log_softmax(x, temperature=temperature).asnumpy()).any()


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "SoftmaxActivation", "L2Normalization"])
def test_integers_are_refused_where_they_mean_nothing(name):
    x = nd.array([[1, 2]], dtype="int32")
    with pytest.raises(DTypeError) as caught:
        getattr(nd, name)(x)
    assert str(caught.value).splitlines()[0] == (
        f"{name}: data is int32, expected a floating-point dtype. Convert with .astype('float32').")
    assert nd.softmax(x, dtype="float32").shape == (1, 2)
