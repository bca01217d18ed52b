"""Max pooling that remembers its winners gives the numbers of `Pooling` and of its gradient, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigluon as mx
from minigluon import autograd, nd
from minigluon.backend import available, use_backend
from minigluon.gluon import nn


@st.composite
def poolings(draw):
    """(attributes, data's shape) of windows apart, in any layout, with ties among few values."""
    d = draw(st.integers(1, 3))
    kernel = draw(st.lists(st.integers(1, 3), min_size=d, max_size=d))
    stride = [k + draw(st.integers(0, 2)) for k in kernel]
    space = [draw(st.integers(k, 3 * s)) for k, s in zip(kernel, stride, strict=True)]
    lead = [draw(st.integers(0, 2)), draw(st.integers(1, 3))]
    attrs = {"kernel": tuple(kernel), "stride": tuple(stride), "pool_type": "max"}
    if draw(st.booleans()):
        return {**attrs, "layout": ["NWC", "NHWC", "NDHWC"][d - 1]}, (lead[0], *space, lead[1])
    return attrs, (*lead, *space)


@given(poolings(), st.integers(0, 2 ** 16), st.sampled_from(["float32", "float64", "int32"]))
def test_winners_are_those_of_pooling(drawn, seed, dtype):
    attrs, shape = drawn
    x = nd.array(np.random.default_rng(seed).integers(-3, 4, shape), dtype=dtype)
    pooled, winners = nd._max_pooling_argmax(x, **attrs)
    expected = nd.Pooling(x, **attrs)
    np.testing.assert_array_equal(pooled.asnumpy(), expected.asnumpy())
    assert winners.dtype == np.uint8
    grad = nd.array(np.random.default_rng(seed).integers(1, 9, pooled.shape), dtype=dtype)
    np.testing.assert_array_equal(nd._max_pooling_argmax_grad(grad, winners, x, **attrs).asnumpy(),
                                  nd._max_pooling_grad(grad, x, expected, **attrs).asnumpy())


def step(pool, hybrid):
    """(gradients of data and weight, names of the plan's operators) of a convolution and a pooling."""
    mx.random.seed(5)
    net = nn.HybridSequential(prefix="net_")
    net.add(nn.Conv2D(3, 3, in_channels=2), pool, nn.Activation("relu"))
    net.initialize(mx.init.Xavier(), force_reinit=True)
    if hybrid:
        net.hybridize()
    x = nd.random.normal(shape=(2, 2, 9, 9))
    x.attach_grad()
    with autograd.record():
        y = net(x)
    y.backward()
    plans = [graph.compiled.last_plan for graph in net._graphs.values()]
    grads = [x.grad.asnumpy(), net[0].weight.grad().asnumpy()]
    return grads, {s.node.op.name for plan in plans for s in plan.steps}


@pytest.mark.parametrize(("pool", "remembers"), [
    (lambda: nn.MaxPool2D(2, 2), True), (lambda: nn.MaxPool2D((2, 3), (3, 3)), True),
    (lambda: nn.MaxPool2D(3, 2), False), (lambda: nn.MaxPool2D(2, 2, padding=1), False),
    (lambda: nn.MaxPool2D(2, 2, ceil_mode=True), False), (lambda: nn.GlobalMaxPool2D(), False)])
@use_backend("numpy")        # a plugin puts operators of its own into the plan
def test_plans_remember_winners_of_windows_apart(pool, remembers):
    wanted, _ = step(pool(), hybrid=False)
    found, operators = step(pool(), hybrid=True)
    assert ("_max_pooling_argmax" in operators) == remembers
    assert ("_max_pooling_grad" in operators) != remembers
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_without_gradients_nothing_is_remembered():
    net = nn.MaxPool2D(2, 2)
    net.hybridize()
    net(nd.ones((1, 1, 4, 4)))
    assert [s.node.op.name for s in net._graphs[False].compiled.last_plan.steps] == ["Pooling"]


def test_the_report():
    from minigluon.backend import Spec
    from minigluon.hybrid import compile_graph
    x = mx.sym.var("x")
    reports = []
    compile_graph(mx.sym.Pooling(x, kernel=(2, 2), stride=(2, 2)), {"x": Spec((1, 1, 4, 4), np.dtype("float32"))},
                  ["x"], mx.cpu(), grad_names=["x"], reports=reports)
    report, = [r for r in reports if r.name == "pooling argmax"]
    assert str(report) == "pooling argmax: 2 operators before, 2 after\n  1 max poolings save their argmax"


@pytest.mark.parametrize("backend", [name for name in ("numpy", "accel") if name in available()])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_window_with_nan_gives_its_gradient_to_the_same_element_in_a_plan(backend, layout, stride):
    data = np.random.default_rng(stride).integers(0, 4, (2, 6, 6, 6)).astype("float32")
    data.flat[::7] = np.nan

    def gradient(hybridized, backend):
        x = nd.array(data)
        x.attach_grad()
        net = nn.HybridLambda(lambda F, x: F.Pooling(x * 1, kernel=(2, 2), stride=(stride, stride), pool_type="max",
                                                     layout=layout) * 1)
        net.hybridize(hybridized)
        with use_backend(backend):
            with autograd.record():
                y = net(x)
            y.backward(nd.arange(1, 1 + y.size).reshape(y.shape))
        return x.grad.asnumpy()
    wanted = gradient(False, "numpy")
    assert wanted.any()
    for hybridized in False, True:
        np.testing.assert_array_equal(gradient(hybridized, backend), wanted)
