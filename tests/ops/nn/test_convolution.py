"""Convolutions: drawn geometry against plain loops, adjoints, and the messages."""

import numpy as np
import pytest
from helpers.errors import message
from hypothesis import given, settings
from hypothesis import strategies as st

from minigluon import autograd, nd
from minigluon.base import ShapeError
from minigluon.ops import REGISTRY
from minigluon.ops.nn import convolution_kernels
from minigluon.ops.nn.convolution_kernels import (
    Geometry,
    convolve,
    convolve_direct,
    data_gradient,
    data_gradient_direct,
    weight_gradient,
    weight_gradient_direct,
)


@st.composite
def convolutions(draw):
    """(geometry, space, batch, input channels, filters), with at least one window along each axis."""
    d = draw(st.integers(1, 3))
    numbers = lambda low, high: tuple(draw(st.lists(st.integers(low, high), min_size=d, max_size=d)))
    kernel, stride, dilate, pad = numbers(1, 3), numbers(1, 3), numbers(1, 2), numbers(0, 2)
    more = numbers(0, 4)
    space = tuple(max(1, dl * (k - 1) + 1 - 2 * p + m) for k, dl, p, m in zip(kernel, dilate, pad, more, strict=True))
    groups = draw(st.integers(1, 3))
    ins, outs = groups * draw(st.integers(1, 2)), groups * draw(st.integers(1, 2))
    return Geometry(kernel, stride, dilate, pad, groups), space, draw(st.integers(1, 3)), ins, outs


def drawn_arrays(geometry, space, batch, ins, outs):
    rng = np.random.default_rng(3)
    out = geometry.out_space(space)
    data = rng.standard_normal((batch, ins, *space))
    weight = rng.standard_normal((outs, ins // geometry.groups, *geometry.kernel))
    return data, weight, rng.standard_normal((batch, outs, *out)), out


def channels_last(a):
    return np.ascontiguousarray(np.moveaxis(a, 1, -1))


@settings(deadline=None, max_examples=60)
@given(convolutions(), st.booleans(), st.sampled_from([1, 200, 2 ** 21]))
def test_fast_convolution_is_the_direct_one(drawn, last, columns):
    """All three kernels, in both layouts, with the columns in one part or many."""
    geometry, space, *sizes = drawn
    data, weight, grad, out = drawn_arrays(geometry, space, *sizes)
    expected = (convolve_direct(data, weight, geometry, out), data_gradient_direct(grad, weight, geometry, space),
                weight_gradient_direct(grad, data, geometry))
    if last:
        data, weight, grad, *expected = (channels_last(a) for a in (data, weight, grad, *expected))
        geometry = Geometry(*(getattr(geometry, n) for n in ("kernel", "stride", "dilate", "pad", "groups")), True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(convolution_kernels, "COLUMNS", columns)
        found = (convolve(data, weight, geometry, out), data_gradient(grad, weight, geometry, space),
                 weight_gradient(grad, data, geometry))
    for f, e in zip(found, expected, strict=True):
        assert f.flags.c_contiguous
        np.testing.assert_allclose(f, e, rtol=1e-10, atol=1e-10)


@settings(deadline=None, max_examples=30)
@given(convolutions())
def test_convolution_shape_rule_both_ways(drawn):
    """Data fills weight and bias; weight fills the channels of data; the result is what forward makes."""
    geometry, space, batch, ins, outs = drawn
    op = REGISTRY["Convolution"](kernel=geometry.kernel, stride=geometry.stride, dilate=geometry.dilate,
                                 pad=geometry.pad, num_filter=outs, num_group=geometry.groups)
    data, weight, grad, _ = drawn_arrays(*drawn)
    (_, w, b), (out,) = op.infer_shape(data.shape, None, None)
    assert (w, b, out) == (weight.shape, (outs,), grad.shape)
    (x, _, _), (out,) = op.infer_shape((batch, None, *space), weight.shape, None)
    assert (x, out) == (data.shape, grad.shape)
    assert op.infer_shape(None, None, None) == ([None, (outs, None, *geometry.kernel), (outs,)], [None])
    assert op.forward(data, weight, np.zeros(outs)).shape == grad.shape


@settings(deadline=None, max_examples=30)
@given(convolutions(), st.data())
def test_deconvolution_is_the_adjoint_of_convolution(drawn, more):
    """Σ grad · conv(data) = Σ deconv(grad) · data, with adj making the sizes meet."""
    geometry, space, *sizes = drawn
    data, weight, grad, out = drawn_arrays(geometry, space, *sizes)
    sizes = zip(geometry.stride, out, geometry.dilate, geometry.kernel, geometry.pad, strict=True)
    reach = [s * (n - 1) + d * (k - 1) + 1 - 2 * p for s, n, d, k, p in sizes]
    how = {"kernel": geometry.kernel, "stride": geometry.stride, "dilate": geometry.dilate, "pad": geometry.pad,
           "num_group": geometry.groups}
    adj = tuple(n - r for n, r in zip(space, reach, strict=True))
    back = nd.Deconvolution(nd.array(grad, dtype="float64"), nd.array(weight, dtype="float64"), adj=adj,
                            num_filter=data.shape[1], **how).asnumpy()
    assert back.shape == data.shape
    there = nd.Convolution(nd.array(data, dtype="float64"), nd.array(weight, dtype="float64"), no_bias=True,
                           num_filter=weight.shape[0], **how).asnumpy()
    assert (there * grad).sum() == pytest.approx((back * data).sum(), rel=1e-9, abs=1e-9)


def test_deconvolution_fills_its_weight():
    op = REGISTRY["Deconvolution"](kernel=(4, 4), stride=(2, 2), pad=(1, 1), num_filter=6, num_group=2, no_bias=False)
    assert op.infer_shape((5, 8, 7, 7), None, None) == ([(5, 8, 7, 7), (8, 3, 4, 4), (6,)], [(5, 6, 14, 14)])
    op = REGISTRY["Deconvolution"](kernel=(3,), stride=(2,), target_shape=(10,), num_filter=1)
    assert op.infer_shape((1, 1, 5), None) == ([(1, 1, 5), (1, 1, 3)], [(1, 1, 10)])


def test_the_first_layer_computes_no_gradient_of_the_data(monkeypatch):
    monkeypatch.setattr(REGISTRY["_conv_data_grad"], "forward", None)
    x, w = nd.ones((1, 1, 4, 4)), nd.ones((1, 1, 2, 2))
    w.attach_grad()
    with autograd.record():
        y = nd.Convolution(x, w, kernel=(2, 2), num_filter=1, no_bias=True)
    y.backward()
    assert (w.grad.asnumpy() == 9).all()


SHAPE_MESSAGES = [
    ("Convolution", {"kernel": (5, 3), "num_filter": 2, "pad": (1, 0)}, [(1, 1, 2, 9), None, None],
     "Convolution: kernel=(5, 3) with dilate=(1, 1) is larger than data (1, 1, 2, 9) with pad=(1, 0): 5 against 4 "
     "along axis 2\n  remedy: a smaller kernel, larger data, or pad=(2, 0)"),
    ("Convolution", {"kernel": (3,), "num_filter": 2}, [(1, 4, 9), (2, 3, 3), None],
     "Convolution: weight has shape (2, 3, 3), expected (2, 4, 3)"),
    ("Convolution", {"kernel": (3,), "num_filter": 2}, [(1, 4, 9), None, (3,)],
     "Convolution: bias has shape (3,), expected (2,)"),
    ("Convolution", {"kernel": (3,), "num_filter": 4, "num_group": 2}, [(1, 3, 9), None, None],
     "Convolution: num_group=2 does not divide the 3 channels of data (1, 3, 9)"),
    ("Convolution", {"kernel": (3,), "num_filter": 3, "num_group": 2}, [(1, 4, 9), None, None],
     "Convolution: num_group=2 does not divide num_filter=3"),
    ("Convolution", {"kernel": (3, 3), "num_filter": 3}, [(1, 4, 9), None, None],
     "Convolution: data has shape (1, 4, 9), expected 4 dimensions: batch, channels, height, width\n"
     "  remedy: data.expand_dims(0), which has shape (1, 1, 4, 9), adds an axis of length 1"),
    ("Convolution", {"kernel": (3, 3, 3, 3), "num_filter": 3}, [None, None, None],
     "Convolution: kernel=(3, 3, 3, 3) has 4 numbers, expected 1, 2 or 3"),
    ("Convolution", {"kernel": (3, 3), "stride": 2, "num_filter": 3}, [None, None, None],
     "Convolution: stride=(2,) has 1 numbers, but kernel=(3, 3) has 2"),
    ("Convolution", {"kernel": (3,), "stride": 0, "num_filter": 3}, [None, None, None],
     "Convolution: stride=(0,) must be at least 1 along each axis"),
    ("Convolution", {"kernel": (0,), "num_filter": 3}, [None, None, None],
     "Convolution: kernel=(0,) must be at least 1 along each axis"),
    ("Convolution", {"kernel": (3,), "num_filter": 3, "layout": "NHWC"}, [None, None, None],
     "Convolution: layout='NHWC' has 2 axes of space, but kernel=(3,) has 1"),
    ("Deconvolution", {"kernel": (3,), "num_filter": 3, "adj": 1}, [(1, 2, 3), None],
     "Deconvolution: adj=(1,) must be smaller than stride=(1,) along each axis"),
    ("Deconvolution", {"kernel": (3,), "num_filter": 3, "adj": (1, 1)}, [(1, 2, 3), None],
     "Deconvolution: adj=(1, 1) has 2 numbers, but kernel=(3,) has 1"),
    ("Deconvolution", {"kernel": (3,), "num_filter": 3, "target_shape": 6}, [(1, 2, 3), None],
     "Deconvolution: target_shape=(6,) is larger than what the windows reach, 6 against 5 along axis 2"),
    ("Deconvolution", {"kernel": (3,), "num_filter": 3, "pad": 3}, [(1, 2, 3), None],
     "Deconvolution: pad=(3,) leaves nothing: the result would have space (-1,)"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "text"), SHAPE_MESSAGES)
def test_messages_of_shape_rules(name, attributes, shapes, text):
    assert message(ShapeError, REGISTRY[name](**attributes).infer_shape, *shapes) == text
