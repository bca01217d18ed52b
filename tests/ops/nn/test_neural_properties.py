"""Convolution, pooling, normalization and losses: drawn geometry against plain loops, errors, and what must hold."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from op_cases import CASES
from op_cases.pooling import pooling

import minigluon as mx
from minigluon import autograd, nd
from minigluon.base import DTypeError, ShapeError
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
from minigluon.ops.shapes import merge

close = pytest.approx


# -- convolution ---------------------------------------------------------------------------------------------------

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
    assert (there * grad).sum() == close((back * data).sum(), rel=1e-9, abs=1e-9)


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


# -- pooling -------------------------------------------------------------------------------------------------------

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
    assert (x.grad.asnumpy() * data).sum() == close((head * y.asnumpy()).sum(), rel=1e-9, abs=1e-9)


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


# -- messages ------------------------------------------------------------------------------------------------------

MESSAGES = [
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
    ("BatchNorm", {}, [(2, 3, 4), (4,), None, None, None], "BatchNorm: gamma has shape (4,), expected (3,)"),
    ("BatchNorm", {"axis": 3}, [(2, 3, 4)] + [None] * 4,
     "BatchNorm: axis 3 is out of range for 3 dimensions; the axes are -3 to 2"),
    ("LayerNorm", {}, [(2, 3), (2,), None], "LayerNorm: gamma has shape (2,), expected (3,)"),
    ("InstanceNorm", {}, [(2, 3), None, None], "InstanceNorm: data has shape (2, 3), expected at least 3 dimensions"),
    ("GroupNorm", {"num_groups": 2}, [(2, 3, 4), None, None],
     "GroupNorm: num_groups=2 does not divide the 3 channels of data (2, 3, 4)"),
    ("GroupNorm", {}, [(2, 3), None, None], "GroupNorm: data has shape (2, 3), expected at least 3 dimensions"),
    ("L2Normalization", {"mode": "spatial"}, [(2, 3)],
     "L2Normalization: data has shape (2, 3), expected at least 3 dimensions with mode='spatial'"),
    ("LRN", {"nsize": 0}, [(2, 3)], "LRN: nsize=0 must be at least 1"),
    ("LRN", {"nsize": 3}, [(2,)], "LRN: data has shape (2,), expected at least 2 dimensions"),
    ("Dropout", {"p": 1.5}, [(2,)], "Dropout: p=1.5 is no probability, expected 0 to 1"),
    ("softmin", {"use_length": True}, [(2, 3)],
     "softmin: use_length=True needs the input length, which softmax alone has"),
    ("softmax", {"use_length": True}, [(2, 3), (3,)], "softmax: length has shape (3,), expected (2,)"),
    ("softmax", {"axis": 2}, [(2, 3)],
     "softmax: axis 2 is out of range for 2 dimensions; the axes are -2 to 1"),
    ("SoftmaxOutput", {}, [(4, 3), (3,)], "SoftmaxOutput: label has shape (3,), expected (4,)"),
    ("SoftmaxOutput", {}, [(4,), None], "SoftmaxOutput: data has shape (4,), expected at least 2 dimensions"),
    ("LinearRegressionOutput", {}, [(4, 3), (12,)],
     "LinearRegressionOutput: label has shape (12,), expected (4, 3)"),
    ("SVMOutput", {}, [(4, 3, 2), (4,)], "SVMOutput: data has shape (4, 3, 2), expected 2 dimensions"),
    ("softmax_cross_entropy", {}, [(4, 3), (3,)], "softmax_cross_entropy: label has shape (3,), expected (4,)"),
    ("CTCLoss", {}, [(2, 3, 4), (3, 5)],
     "CTCLoss: label (3, 5) is longer than data (2, 3, 4): 5 labels in 2 frames"),
    ("CTCLoss", {}, [(5, 3, 4), (2, 5)], "CTCLoss: label has shape (2,), expected (3,)"),
    ("LeakyReLU", {"act_type": "prelu"}, [(2, 3), (2,)], "LeakyReLU: gamma has shape (2,), expected (3,)"),
    ("LeakyReLU", {"act_type": "prelu"}, [(2, 3, 4), (3, 2)],
     "LeakyReLU: gamma has shape (3, 2), expected lengths of the first axes of data (2, 3, 4), or 1, and fewer of "
     "them"),
    ("UpSampling", {"scale": 0, "sample_type": "nearest"}, [(1, 1, 2, 2)], "UpSampling: scale=0 must be at least 1"),
    ("UpSampling", {"scale": 2, "sample_type": "nearest"}, [(1, 1, 2, 2), (1, 1, 3, 3)],
     "UpSampling: arg1 (1, 1, 3, 3) cannot be repeated to the space (4, 4)"),
    ("UpSampling", {"scale": 2, "sample_type": "nearest", "multi_input_mode": "sum"}, [(1, 1, 2, 2), (1, 2, 2, 2)],
     "UpSampling: arg1 has shape (2,), expected (1,)"),
]


@pytest.mark.parametrize(("name", "attributes", "shapes", "message"), MESSAGES, ids=lambda v: None)
def test_messages(name, attributes, shapes, message):
    with pytest.raises(ShapeError) as info:
        REGISTRY[name](**attributes).infer_shape(*shapes)
    assert str(info.value) == message


def test_batch_norm_wants_float32_statistics_for_float16_data():
    half, single = np.dtype("float16"), np.dtype("float32")
    op = REGISTRY["BatchNorm"]()
    assert op.infer_dtype(half, None, None, None, None)[0] == [half] + [single] * 4
    with pytest.raises(DTypeError) as info:
        op.infer_dtype(half, half, single, single, single)
    assert str(info.value) == ("BatchNorm: inputs have different dtypes: data float16, gamma float16, beta float32, "
                               "moving_mean float32, moving_var float32. Convert with .astype(dtype).")


# -- normalization -------------------------------------------------------------------------------------------------

@settings(deadline=None, max_examples=40)
@given(st.integers(0, 99), st.sampled_from([0.0, 0.5, 0.9, 1.0]), st.sampled_from([0, 1, -1]))
def test_batch_norm_moves_its_statistics_while_training_alone(seed, momentum, axis):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((3, 3, 3)) * 2 + 1
    mean, var = nd.array(rng.random(3), dtype="float64"), nd.array(rng.random(3) + 1, dtype="float64")
    old_mean, old_var = mean.asnumpy(), var.asnumpy()
    arrays = nd.array(x, dtype="float64"), nd.ones(3, dtype="float64"), nd.zeros(3, dtype="float64"), mean, var
    nd.BatchNorm(*arrays, momentum=momentum, axis=axis)
    with autograd.train_mode():
        nd.BatchNorm(*arrays, momentum=momentum, axis=axis, use_global_stats=True)
    np.testing.assert_array_equal(mean.asnumpy(), old_mean)
    np.testing.assert_array_equal(var.asnumpy(), old_var)
    with autograd.train_mode():
        nd.BatchNorm(*arrays, momentum=momentum, axis=axis)
    others = tuple(i for i in range(3) if i != axis % 3)
    kept = float(np.float64(momentum))
    np.testing.assert_allclose(mean.asnumpy(), kept * old_mean + (1 - kept) * x.mean(others), rtol=1e-12)
    np.testing.assert_allclose(var.asnumpy(), kept * old_var + (1 - kept) * x.var(others), rtol=1e-12)


def test_batch_norm_differentiates_as_it_was_run():
    """Recorded in predict mode the statistics are constants, whatever mode backward is called in."""
    x = nd.array([[1.0], [3.0], [8.0]])
    arrays = nd.array([2.0]), nd.array([0.0]), nd.array([1.0]), nd.array([3.0])
    x.attach_grad()
    with autograd.record(train_mode=False):
        y = nd.BatchNorm(x, *arrays, fix_gamma=False, eps=1.0)
    y.backward()
    assert x.grad.asnumpy().ravel().tolist() == [1, 1, 1]


def test_half_precision_keeps_float32_statistics():
    x = (nd.random.normal(shape=(64, 2, 32, 32)) * 10 + 100).astype("float16")
    with autograd.train_mode():
        y, mean, _ = nd.BatchNorm(x, nd.ones(2), nd.zeros(2), nd.zeros(2), nd.ones(2), output_mean_var=True)
    assert (y.dtype, mean.dtype) == (np.float16, np.float32)
    np.testing.assert_allclose(mean.asnumpy(), x.asnumpy().astype("float64").mean((0, 2, 3)), rtol=1e-5)
    assert abs(y.asnumpy().astype("float64").std() - 1) < 1e-2


# -- softmax and losses --------------------------------------------------------------------------------------------

@settings(deadline=None, max_examples=30)
@given(st.lists(st.floats(-2.0 ** 99, 2.0 ** 99, width=32), min_size=1, max_size=6), st.sampled_from([None, 0.1, 30.0]))
def test_softmax_is_a_distribution_for_any_logits(logits, temperature):
    x = nd.array([logits])
    y = nd.softmax(x, temperature=temperature).asnumpy()
    assert np.isfinite(y).all()
    assert y.min() >= 0
    assert y.sum() == close(1, abs=1e-6)
    assert y[0, np.argmax(logits)] == y.max()
    assert not np.isnan(nd.log_softmax(x, temperature=temperature).asnumpy()).any()


def gradient(function, *arrays, head=None):
    """(result, gradient of the first array) as NumPy arrays."""
    arrays = [nd.array(a, dtype="float64") for a in arrays]
    arrays[0].attach_grad()
    with autograd.record():
        y = function(*arrays)
    y.backward(None if head is None else nd.array(head, dtype="float64"))
    return y.asnumpy(), arrays[0].grad.asnumpy()


ROWS = np.random.default_rng(5).standard_normal((4, 3))
LABELS = np.array([0, 2, 1, -1.0])
ONE_HOT = np.array([[1, 0, 0], [0, 0, 1], [0, 1, 0], [0, 0, 0]])


@pytest.mark.parametrize(("attributes", "factor"), [
    ({}, 1), ({"grad_scale": 2}, 2), ({"normalization": "batch"}, 1 / 4), ({"normalization": "valid"}, 1 / 3),
    ({"use_ignore": True}, [[1], [1], [1], [0]]), ({"use_ignore": True, "ignore_label": 2}, [[1], [0], [1], [1]]),
    ({"use_ignore": True, "normalization": "valid"}, [[1 / 3], [1 / 3], [1 / 3], [0]]),
])
def test_softmax_output_gradient(attributes, factor):
    """It is that of the cross entropy, whatever the head gradient says."""
    head = np.random.default_rng(0).random((4, 3))
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, **attributes), ROWS, LABELS, head=head)
    np.testing.assert_allclose(grad, (y - ONE_HOT) * factor, rtol=1e-12)
    _, weighted = gradient(lambda x, n: nd.SoftmaxOutput(x, n, out_grad=True, **attributes), ROWS, LABELS, head=head)
    np.testing.assert_allclose(weighted, grad * head, rtol=1e-12)


def test_softmax_output_smoothing_and_probabilities():
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, smooth_alpha=.2), ROWS[:3], LABELS[:3])
    np.testing.assert_allclose(grad, y - (ONE_HOT[:3] * .8 + (1 - ONE_HOT[:3]) * .1), rtol=1e-12)
    wanted = np.full((4, 3), 1 / 3)
    y, grad = gradient(lambda x, p: nd.SoftmaxOutput(x, p, grad_scale=3, normalization="batch"), ROWS, wanted)
    np.testing.assert_allclose(grad, 3 * (y - wanted), rtol=1e-12)


@pytest.mark.parametrize(("normalization", "divisor"), [("null", 2), ("batch", 4), ("valid", 4)])
def test_softmax_output_over_places(normalization, divisor):
    x = np.random.default_rng(5).standard_normal((2, 3, 2))
    labels = np.array([[0, 1], [2, 2]])
    hot = np.eye(3)[labels].transpose(0, 2, 1)
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, multi_output=True, normalization=normalization), x, labels)
    np.testing.assert_allclose(y.sum(1), 1)
    np.testing.assert_allclose(grad, (y - hot) / divisor, rtol=1e-12)
    # the two places as an image, 1 high: all labels of an item in one row, or in as many dimensions as data
    for images, same in [(x, labels.reshape(2, 1, 2)), (x.reshape(2, 3, 1, 2), labels),
                           (x.reshape(2, 3, 1, 2), labels.reshape(2, 1, 1, 2))]:
        _, again = gradient(lambda x, n: nd.SoftmaxOutput(x, n, multi_output=True, normalization=normalization),
                            images, same)
        np.testing.assert_array_equal(again.reshape(grad.shape), grad)
    last = x.transpose(0, 2, 1).copy()
    y, grad = gradient(lambda x, n: nd.SoftmaxOutput(x, n, preserve_shape=True, normalization=normalization), last,
                       labels)
    np.testing.assert_allclose(grad, (y - np.eye(3)[labels]) / (1 if normalization == "null" else 4), rtol=1e-12)


@pytest.mark.parametrize(("name", "slope"), [
    ("LinearRegressionOutput", lambda y, t: y - t), ("LogisticRegressionOutput", lambda y, t: y - t),
    ("MAERegressionOutput", lambda y, t: np.sign(y - t)),
])
def test_regression_output_gradient(name, slope):
    targets = np.random.default_rng(8).random((4, 3))
    function = getattr(nd, name)
    y, grad = gradient(lambda x, t: function(x, t, grad_scale=1.5), ROWS, targets, head=np.full((4, 3), 7.0))
    np.testing.assert_allclose(grad, slope(y, targets) * 1.5 / 3, rtol=1e-12)
    _, grad = gradient(function, ROWS[:, :1], targets[:, 0])
    y = function(nd.array(ROWS[:, :1], dtype="float64"), nd.array(targets[:, 0], dtype="float64")).asnumpy()
    np.testing.assert_allclose(grad, slope(y, targets[:, :1]), rtol=1e-12)


def test_svm_output_gradient():
    sign = 2 * ONE_HOT[:3] - 1
    short = np.maximum(.5 - sign * ROWS[:3], 0)
    for linear in (True, False):
        _, grad = gradient(lambda x, n, linear=linear: nd.SVMOutput(
            x, n, margin=.5, regularization_coefficient=.3, use_linear=linear), ROWS[:3], LABELS[:3])
        np.testing.assert_allclose(grad, -.3 * sign * ((short > 0) if linear else 2 * short), rtol=1e-12)


def test_ctc_label_that_does_not_fit_costs_nothing_and_has_no_gradient():
    """Two equal labels need a blank between them: three frames."""
    x = np.random.default_rng(2).standard_normal((2, 2, 3))
    y, grad = gradient(nd.CTCLoss, x, [[1, 1], [1, 2]])
    assert y[0] == 0
    assert y[1] > 0
    assert not grad[:, 0].any()
    np.testing.assert_allclose(grad[:, 1].sum(-1), 0, atol=1e-12)


def test_ctc_loss_survives_long_sequences():
    """1,000 frames: probabilities underflow, their logarithms do not. No frame's gradients add up to anything."""
    x = np.random.default_rng(2).standard_normal((1000, 2, 6)) * 3
    y, grad = gradient(nd.CTCLoss, x, np.random.default_rng(3).integers(1, 6, (2, 80)))
    assert (y > 300).all()
    assert np.isfinite(y).all()
    np.testing.assert_allclose(grad.sum(-1), 0, atol=1e-9)


# -- random ones ---------------------------------------------------------------------------------------------------

def test_dropout_keeps_the_share_and_the_mean():
    x = nd.ones((200, 500))
    x.attach_grad()
    with autograd.record():
        y = nd.Dropout(x, p=0.3)
    y.backward()
    kept = y.asnumpy() != 0
    assert kept.mean() == close(0.7, abs=0.006)         # 4 standard deviations of 100,000 draws
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


def test_rrelu_draws_between_its_bounds_while_training():
    x = -nd.ones((100, 100))
    x.attach_grad()
    with autograd.record():
        y = nd.LeakyReLU(x, act_type="rrelu", lower_bound=.1, upper_bound=.3)
    y.backward()
    slopes = -y.asnumpy()
    assert .1 <= slopes.min() < .101
    assert .299 < slopes.max() <= .3
    assert slopes.mean() == close(.2, abs=.0025)
    np.testing.assert_array_equal(x.grad.asnumpy(), slopes)


# -- shape rules with unknowns -------------------------------------------------------------------------------------

NEURAL = {"Activation", "LeakyReLU", "Convolution", "Deconvolution", "Pooling", "BatchNorm", "LayerNorm",
          "InstanceNorm", "GroupNorm", "L2Normalization", "LRN", "Dropout", "softmax", "log_softmax", "softmin",
          "SoftmaxActivation", "SoftmaxOutput", "LinearRegressionOutput", "LogisticRegressionOutput",
          "MAERegressionOutput", "SVMOutput", "softmax_cross_entropy", "CTCLoss", "UpSampling",
          "_contrib_BatchNormWithReLU"}

# Several shapes are right for their last input; the rule fills in another.
CHOSEN = {"LeakyReLU-6", "LeakyReLU-10-first_axes", "LeakyReLU-11-first_axes", "LinearRegressionOutput-1",
          "SoftmaxOutput-3-probabilities"}


@pytest.mark.parametrize("case", [c for c in CASES if c.op in NEURAL and c.id not in CHOSEN], ids=lambda c: c.id)
def test_shape_rules_take_unknown_inputs_and_agree_with_the_known(case):
    """None for any input or dimension is allowed, and what is filled in is what it was."""
    cls = REGISTRY[case.op]
    op = cls(**{key: value for key, value in case.attrs.items() if key in cls.fields})
    shapes = [a.shape for a in case.inputs()]
    full = op.infer_shape(*shapes)
    masks = [[s if keep else None for s, keep in zip(shapes, kept, strict=True)]
             for kept in itertools.product([True, False], repeat=len(shapes))]
    masks += [[(*s[:i], None, *s[i + 1:]) if k == j else s for k, s in enumerate(shapes)]
              for j in range(len(shapes)) for i in range(len(shapes[j]))]
    for mask in masks:
        found = op.infer_shape(*mask)
        for part, whole in zip((*found[0], *found[1]), (*full[0], *full[1]), strict=True):
            assert merge(part, whole) == whole, (mask, found)


@pytest.mark.parametrize("name", ["softmax", "log_softmax", "softmin", "SoftmaxActivation", "L2Normalization"])
def test_integers_are_refused_where_they_mean_nothing(name):
    x = nd.array([[1, 2]], dtype="int32")
    with pytest.raises(DTypeError) as caught:
        getattr(nd, name)(x)
    assert str(caught.value).splitlines()[0] == (
        f"{name}: data is int32, expected a floating-point dtype. Convert with .astype('float32').")
    assert nd.softmax(x, dtype="float32").shape == (1, 2)


def test_div_sqrt_dim_keeps_integers():
    y = nd.contrib.div_sqrt_dim(nd.array([[7, -7, 4, 1]], dtype="int32"))
    assert y.dtype is np.int32
    assert y.asnumpy().tolist() == [[3, -3, 2, 0]]


def test_the_third_output_of_sync_batch_norm_is_the_variance():
    """As in real MXNet 1.9.1, of [[1, 2], [3, 6]] 1 and 4; the gradient is that of BatchNorm."""
    x = np.array([[1, 2], [3, 6.0]])
    how = {"output_mean_var": True, "fix_gamma": False}
    grads = []
    for call, variance in (lambda *a: nd.contrib.SyncBatchNorm(*a, key="k", **how), True), (
            lambda *a: nd.BatchNorm(*a, **how), False):
        data, gamma = nd.array(x), nd.array([1, 2])
        data.attach_grad()
        gamma.attach_grad()
        with autograd.record():
            out, mean, third = call(data, gamma, nd.zeros(2), nd.zeros(2), nd.ones(2))
        out.backward(nd.array([[1, 2], [3, 5]]))
        assert mean.asnumpy().tolist() == [2, 4]
        np.testing.assert_allclose(third.asnumpy(), [1, 4] if variance else [1.001 ** -0.5, 4.001 ** -0.5], 1e-6)
        grads.append((data.grad.asnumpy(), gamma.grad.asnumpy()))
    for found, wanted in zip(*grads, strict=True):
        np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


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


@pytest.mark.parametrize("name", ["LayerNorm", "GroupNorm", "Dropout"])
def test_no_zeros_are_made_for_outputs_without_a_gradient(name, monkeypatch):
    """Such as a mask, which is as large as the data."""
    monkeypatch.setattr(nd, "zeros", None)
    x = nd.random.normal(shape=(2, 4, 3))
    x.attach_grad()
    vectors = {"LayerNorm": [nd.ones(3)] * 2, "GroupNorm": [nd.ones(2)] * 2, "Dropout": []}[name]
    with autograd.record():
        y = getattr(nd, name)(x, *vectors, **({"num_groups": 2} if name == "GroupNorm" else {}))
    y.backward()
    assert x.grad.shape == x.shape


@pytest.mark.parametrize("used", [(0,), (1,), (2,), (0, 2), (0, 1, 2)])
@pytest.mark.parametrize("name", ["LayerNorm", "GroupNorm"])
def test_gradients_of_any_of_the_outputs(name, used):
    """Eager, and in a graph: what no gradient reaches counts as zeros."""
    data = np.random.default_rng(0).standard_normal((2, 4, 3))
    size = 3 if name == "LayerNorm" else 2
    how = {"output_mean_var": True, **({"num_groups": 2} if name == "GroupNorm" else {})}
    weights = np.random.default_rng(1).standard_normal(3)

    def compute(F, x, gamma):
        outputs = getattr(F, name)(x, gamma, F.zeros_like(gamma), **how)
        return [F.sum(F.square(outputs[k])) * weights[k] for k in used]
    x, gamma = nd.array(data, dtype="float64"), nd.ones(size, dtype="float64")
    x.attach_grad()
    with autograd.record():
        total = sum(compute(nd, x, gamma))
    total.backward()
    symbols = mx.sym.var("x"), mx.sym.var("gamma")
    executor = sum(compute(mx.sym, *symbols)).bind(mx.cpu(), {"x": x, "gamma": gamma},
                                                   {"x": nd.zeros(x.shape, dtype="float64")}, {"x": "write"})
    executor.forward(is_train=True)
    executor.backward(nd.ones(1, dtype="float64"))
    np.testing.assert_allclose(executor.grad_dict["x"].asnumpy(), x.grad.asnumpy(), rtol=1e-10, atol=1e-12)
    step = np.random.default_rng(2).standard_normal(data.shape) * 1e-6
    up, down = (float(sum(compute(nd, nd.array(data + s, dtype="float64"), gamma)).asscalar()) for s in (step, -step))
    np.testing.assert_allclose((up - down) / 2, (x.grad.asnumpy() * step).sum(), rtol=1e-4, atol=1e-12)
