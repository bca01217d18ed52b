"""Plans with `_final_gradients`: each gradient is passed on at the place where it is final."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import nd, sym
from minigluon.backend import Spec
from minigluon.base import ShapeError
from minigluon.hybrid import Steps, compile_graph
from minigluon.ops import REGISTRY
from minigluon.ops.optimizer.final_gradients import receiver

SHAPES = {"x": (5, 4), "w1": (200, 4), "b1": (200,), "w2": (200, 200), "w3": (3, 200)}


def network():
    y = sym.FullyConnected(sym.var("x"), sym.var("w1"), sym.var("b1"), num_hidden=200)
    y = sym.FullyConnected(sym.tanh(y), sym.var("w2"), no_bias=True, num_hidden=200)
    return sym.FullyConnected(sym.tanh(y), sym.var("w3"), no_bias=True, num_hidden=3)


def compiled():
    """Returns (plan, names of the weights, the groups that are passed on at once)."""
    single = np.dtype("float32")
    names, weights = list(SHAPES), list(SHAPES)[1:]
    specs = {name: Spec(shape, single) for name, shape in SHAPES.items()}
    steps = Steps(weights, REGISTRY["_final_gradients"](num_weights=len(weights)), [[specs[name]] for name in weights])
    plan, _ = compile_graph(network(), specs, names, mx.cpu(), True, weights, steps=steps)
    return plan, weights, steps.groups(specs)


def test_gradients_are_copied_and_passed_on_in_order():
    plan, weights, groups = compiled()
    assert groups == [[2], [0, 1, 3]]               # small ones at once
    rng = np.random.default_rng(0)
    values = {name: nd.array(rng.normal(size=shape)) for name, shape in SHAPES.items()}
    copies = [nd.zeros(SHAPES[weights[i]]) for group in groups for i in group]
    received = []
    receiver.receive = lambda buffers: received.append([buffer.copy() for buffer in buffers])
    try:
        plan.call([x.buffer for x in (*values.values(), *copies)])
    finally:
        receiver.receive = None
    grads = {name: nd.zeros(SHAPES[name]) for name in weights}
    executor = network().bind(mx.cpu(), values, args_grad=grads)
    executor.forward(is_train=True)
    executor.backward(nd.ones((5, 3)))
    expected = [[grads[weights[i]].asnumpy() for i in group] for group in groups]
    assert [len(group) for group in received] == [1, 3]
    for group, wanted in zip(received, expected, strict=True):
        for found, gradient in zip(group, wanted, strict=True):
            np.testing.assert_allclose(found, gradient, rtol=1e-5, atol=1e-6)
    for copy, gradient in zip(copies, [x for group in expected for x in group], strict=True):
        np.testing.assert_allclose(copy.asnumpy(), gradient, rtol=1e-5, atol=1e-6)


def test_a_gradient_does_not_wait_for_readers_of_its_weight():
    """The gradient of w2 is final before that of the data is computed, which reads w2."""
    plan, *_ = compiled()
    names = [step.node.op.name for step in plan.steps]
    first, last = [number for number, name in enumerate(names) if name == "_final_gradients"]
    assert names[first - 1] == "_fully_connected_weight_grad"
    assert "_fully_connected_data_grad" in names[first:last]


def test_without_a_receiver_gradients_are_only_copied():
    copy = nd.zeros((2,))
    nd._final_gradients(nd.ones((2,)), nd.array([3, 4]), copy, num_weights=1)
    assert copy.asnumpy().tolist() == [3, 4]


def test_a_wrong_number_of_arrays():
    with pytest.raises(ShapeError) as caught:
        nd._final_gradients(nd.ones((2,)), nd.ones((2,)), num_weights=1)
    assert str(caught.value).startswith(
        "_final_gradients: 1 weights need 3 arrays (weight, grad, copy for each), found 2")
