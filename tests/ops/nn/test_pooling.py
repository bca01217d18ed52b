"""Pooling: drawn windows one by one, adjoints, ties, padding, and the messages."""

import numpy as np
import pytest
from helpers.errors import message
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases.nn.pooling import pooling

from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY


@st.composite
def poolings(draw):
    """(data, attributes) with at least one window along each axis, each of them with an element of data in it."""
    d = draw(st.integers(1, 3))
    numbers = lambda low, high: tuple(draw(st.lists(st.integers(low, high), min_size=d, max_size=d)))
    kernel, stride = numbers(1, 3), numbers(1, 3)
    pad = tuple(draw(st.integers(0, (k - 1) // 2)) for k in kernel)
    space = tuple(k + more for k, more in zip(kernel, numbers(0, 4), strict=True))
    convention = draw(st.sampled_from(["valid", "full"]))
    if convention == "full":        # a window may then begin behind the data: MXNet's own answer differs with the type
        space = tuple(n + (-(n + 2 * p - k)) % s for n, p, k, s in zip(space, pad, kernel, stride, strict=True))
    kind = draw(st.sampled_from(["max", "avg", "sum"]))
    attributes = {"kernel": kernel, "stride": stride, "pad": pad, "pool_type": kind, "pooling_convention": convention,
                  "count_include_pad": draw(st.booleans())}
    if draw(st.booleans()):
        attributes["layout"] = {1: "NWC", 2: "NHWC", 3: "NDHWC"}[d]
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    shape = (2, *space, 3) if "layout" in attributes else (2, 3, *space)
    return rng.standard_normal(shape), attributes


@settings(deadline=None, max_examples=60)
@given(poolings())
def test_pooling_is_window_by_window(drawn):
    data, attributes = drawn
    found = nd.Pooling(nd.array(data, dtype="float64"), **attributes).asnumpy()
    np.testing.assert_allclose(found, pooling(data, **attributes), rtol=1e-10, atol=1e-10)


@settings(deadline=None, max_examples=30)
@given(poolings())
def test_pooling_gradients_are_adjoints(drawn):
    """Each window's head gradient arrives once in all: weighted with the data it is Σ grad · out (Euler)."""
    data, attributes = drawn
    x = nd.array(data, dtype="float64")
    x.attach_grad()
    with autograd.record():
        y = nd.Pooling(x, **attributes)
    head = np.random.default_rng(1).standard_normal(y.shape)
    y.backward(nd.array(head, dtype="float64"))
    assert (x.grad.asnumpy() * data).sum() == pytest.approx((head * y.asnumpy()).sum(), rel=1e-9, abs=1e-9)


def test_max_pooling_sends_the_gradient_to_the_first_of_equal_elements():
    x = nd.ones((1, 1, 3, 3))
    x.attach_grad()
    with autograd.record():
        y = nd.Pooling(x, kernel=(2, 2))
    y.backward(nd.array([[[[1, 2], [3, 4]]]]))
    assert x.grad.asnumpy().ravel().tolist() == [1, 2, 0, 3, 4, 0, 0, 0, 0]


def test_padding_is_never_the_largest_element():
    x = -nd.ones((1, 1, 2, 2))
    assert (nd.Pooling(x, kernel=(2, 2), pad=(1, 1)).asnumpy() == -1).all()
    assert (nd.Pooling(x.astype("int32"), kernel=(2, 2), pad=(1, 1)).asnumpy() == -1).all()


SHAPE_MESSAGES = [
    ("Pooling", {"kernel": (3, 2)}, [(1, 1, 2, 4)],
     "Pooling: kernel=(3, 2) is larger than data (1, 1, 2, 4) with pad=(0, 0): 3 against 2 along axis 2\n"
     "  remedy: a smaller kernel, larger data, or pad=(1, 0)"),
    ("Pooling", {}, [(1, 1, 2, 4)],
     "Pooling: kernel=() has 0 numbers, but data (1, 1, 2, 4) has 2 axes of space; kernel may be left out with "
     "global_pool=True only"),
    ("Pooling", {"kernel": (2, 2), "pad": (1,)}, [(1, 1, 4, 4)],
     "Pooling: pad=(1,) has 1 numbers, but data (1, 1, 4, 4) has 2 axes of space; kernel may be left out with "
     "global_pool=True only"),
    ("Pooling", {"kernel": (2,), "stride": 0}, [(1, 1, 4)], "Pooling: stride=(0,) must be at least 1 along each axis"),
    ("Pooling", {"kernel": (2,), "pool_type": "lp"}, [(1, 1, 4)],
     "Pooling: pool_type='lp' needs p_value=1 or more, found None"),
    ("Pooling", {"kernel": (2,), "pad": 1, "pooling_convention": "same"}, [(1, 1, 4)],
     "Pooling: pooling_convention='same' chooses the padding itself, but pad=(1,)"),
    ("Pooling", {"kernel": (2,)}, [(1, 4)], "Pooling: data has shape (1, 4), expected 3 or 4 or 5 dimensions\n"
     "  remedy: data.expand_dims(0), which has shape (1, 1, 4), adds an axis of length 1"),
    ("Pooling", {"kernel": (2,), "layout": "NWC"}, [(1, 4)], "Pooling: data has shape (1, 4), expected 3 dimensions\n"
     "  remedy: data.expand_dims(0), which has shape (1, 1, 4), adds an axis of length 1"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text
