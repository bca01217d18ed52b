"""Hybridized nets when something goes wrong: errors and interruptions; and what calls leave behind in memory."""

import contextlib
import gc
import sys
import tracemalloc

import numpy as np
import pytest
from helpers.errors import message
from helpers.hybrid_twins import array, equal, hybrid, mlp, twins, variable
from helpers.memory import least

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import use_backend
from minigluon.base import ArgumentError, ContextError, DTypeError, ShapeError
from minigluon.gluon import nn
from minigluon.tape import Entry

# -- errors ---------------------------------------------------------------------------------------------------------


def test_wrong_inputs_name_block_and_parameter():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3, in_units=4), nn.Dense(2))
    net.initialize()
    net.hybridize()
    for _ in range(2):              # after a good call as before one
        assert message(ShapeError, lambda: net(array(2, 5))) == (
            "FullyConnected: weight has shape (3, 4), expected (3, 5)\n"
            "  node: 'net_dense0_fwd'\n"
            "  inputs: data = 'data' (2, 5), weight = 'net_dense0_weight' (3, 4), bias = 'net_dense0_bias' (3,)\n"
            "  parameter: 'net_dense0_weight' of Dense 'net_dense0' has shape (3, 4), fixed when the block was "
            "created or in its first forward pass\n"
            "  remedy: feed inputs of the same size as then, or create a new block; initialize(force_reinit=True) "
            "keeps the shape")
        net(array(2, 4))
    assert message(DTypeError, lambda: net(array(2, 4).astype("float64"))) == (
        "FullyConnected: inputs have different dtypes: data float64, weight float32, bias float32. Convert with "
        ".astype(dtype).\n  node: 'net_dense0_fwd'")
    assert message(ContextError, lambda: net(array(2, 4).as_in_context(mx.cpu(1)))) == (
        "HybridSequential 'net': the input of shape (2, 4) is on cpu(1), but parameter 'net_dense0_weight' of shape "
        "(3, 4) is on cpu(0). Move the input with .as_in_context(cpu(0)), or the parameters with "
        "net.collect_params().reset_ctx(cpu(1)).")
    assert net(array(2, 4)).shape == (2, 2)


def test_a_net_that_was_not_initialized():
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(3))
    net.hybridize()
    assert message(gluon.parameter.UninitializedError, lambda: net(array(2, 4))) == (
        "Parameter 'net_dense0_weight' of Dense 'net_dense0' has not been initialized. Call initialize() on the "
        "outermost block, net.initialize(), and make the Trainer from net.collect_params(), which includes all nested "
        "blocks.")
    net.initialize()
    assert net(array(2, 4)).shape == (2, 3)


def test_inputs_on_two_devices():
    net = hybrid(lambda F, x, y: x + y)
    assert message(ContextError, lambda: net(nd.ones((2,)), nd.ones((2,), ctx=mx.cpu(1)))) == (
        "hybridized block: inputs are on different devices: data0 (2,) on cpu(0), data1 (2,) on cpu(1). Move them with "
        ".as_in_context(cpu(0)).")


def test_an_error_inside_a_kernel_names_the_node_and_leaves_the_net_usable():
    net = hybrid(lambda F, x: F.linalg.potrf(x * 2.0) + 1)
    good = nd.array([[2.0, 0], [0, 8]])
    for _ in range(3):
        with autograd.record():
            text = message(ArgumentError, lambda: net(-good))
        assert text.startswith("_linalg_potrf: Matrix is not positive definite\n  node: ")
        np.testing.assert_array_equal(net(good).asnumpy(), [[3, 1], [1, 5]])


def interrupting(plan, phase):
    """The plan's last kernel of a phase raises KeyboardInterrupt, once."""
    lines = getattr(plan, phase).lines
    last = lines[-1]

    def interrupt(inputs, targets):
        lines[-1] = last
        raise KeyboardInterrupt

    lines[-1] = interrupt, *last[1:]


@use_backend("numpy")        # a plugin runs no lines that could be interrupted
def test_an_interrupted_run_leaves_the_net_usable():
    net, twin = twins(mlp(5, 3), array(2, 4))
    x = variable(2, 4)
    with autograd.record():
        y = twin(x)
    y.backward()
    wanted = x.grad.copy()
    (graph,) = set(twin._graphs.values())
    plan = graph.compiled.last_plan
    interrupting(plan, "_forward")
    with autograd.record(), pytest.raises(KeyboardInterrupt):
        twin(x)
    assert not autograd.is_recording()
    with autograd.record():
        y = twin(x)
    equal(y, net(x))
    interrupting(plan, "_backward")
    with pytest.raises(KeyboardInterrupt):
        y.backward()
    with pytest.raises(mx.base.GraphFreedError):        # half of its values are overwritten
        y.backward()
    with autograd.record():
        y = twin(x)
    y.backward(retain_graph=True)
    equal(x.grad, wanted)
    interrupting(plan, "_backward")
    with pytest.raises(KeyboardInterrupt):
        y.backward(retain_graph=True)
    y.backward()                                        # with retain_graph nothing was
    equal(x.grad, wanted)


# -- memory ---------------------------------------------------------------------------------------------------------


def test_ctrl_c_while_a_call_is_recorded(monkeypatch):
    """Nothing is printed about an entry that is half made, and the next call is as ever."""
    net, twin = twins(mlp(4, 3), array(2, 5))
    ignored = []

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(sys, "unraisablehook", ignored.append)
    with monkeypatch.context() as patch:
        patch.setattr(Entry, "__init__", interrupted)
        with autograd.record(), pytest.raises(KeyboardInterrupt):
            twin(array(2, 5))
    assert ignored == []
    with autograd.record():
        y = twin(array(2, 5))
    y.backward()
    equal(y, net(array(2, 5)))


@pytest.mark.parametrize("backend", [None, "numpy"])
def test_no_memory_for_intermediate_values_or_results(backend):
    """1 PiB, which an operator by itself is refused as well, with its name."""
    wide = hybrid(lambda F, x: F.broadcast_to(x, shape=(2 ** 24, 2 ** 24)))
    inner = hybrid(lambda F, x: F.sort(F.broadcast_to(x, shape=(2 ** 24, 2 ** 24))).sum())
    with use_backend(backend) if backend else contextlib.nullcontext():
        with pytest.raises(mx.MXNetError, match=r"^there is no memory for an array of shape \(16777216, 16777216\) and"
                                                " dtype float32$"):
            wide(nd.ones((1, 1)))
        with pytest.raises(mx.MXNetError) as caught:
            inner(nd.ones((1, 1)))
        assert str(caught.value) == (
            "there is no memory for an array of shape (1125899906842624,) and dtype uint8\n  wanted for: the "
            "1125899906842624 bytes of intermediate values that the graph needs; the largest is "
            f"'{inner.name}_broadcast_to0_output' with 1125899906842624 bytes")
        with pytest.raises(mx.MXNetError, match=r"^broadcast_to: cannot be computed: Unable to allocate (?s:.)*\n  "
                                                r"inputs: data \(1, 1\) float32\n  attributes: shape=") as caught:
            nd.broadcast_to(nd.ones((1, 1)), shape=(2 ** 24, 2 ** 24))


def grown(function, rounds):
    """Bytes that many calls leave behind beyond those that a few calls leave."""
    gc.collect()
    tracemalloc.start()
    try:
        for _ in range(20):         # lists of free objects fill up
            function()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(rounds):
            function()
        return tracemalloc.get_traced_memory()[0] - before      # without a collection: nothing waits for one
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("what", ["predict", "forget", "train", "retain"])
def test_calls_in_a_loop_do_not_grow(what):
    net, twin = twins(mlp(40, 40, 3), array(16, 30))
    x = array(16, 30)

    def step():
        if what == "predict":
            return twin(x)
        with autograd.record():
            y = twin(x)
        if what == "retain":
            y.backward(retain_graph=True)
        if what != "forget":            # the results are dropped without a backward
            y.backward()
        return None

    gc.disable()
    try:
        assert least(lambda: grown(step, 60), 4000) < 4000
    finally:
        gc.enable()
    (graph,) = set(twin._graphs.values())
    assert len(graph.compiled.last_plan._put.__self__) == 1     # one set of values serves all calls
