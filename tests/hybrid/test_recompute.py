"""hybridize(recompute=True): the same numbers to the last bit, in less memory."""

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, nd
from minigluon.gluon import nn
from minigluon.hybrid.runners import compile_runner


def deep(layers):
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(layers):
            net.add(nn.Dense(16, activation="relu"))
    return net


def with_state():
    """Random numbers and moving statistics, which a second computation would change."""
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        for _ in range(6):
            net.add(nn.Dense(16), nn.BatchNorm(), nn.Activation("tanh"), nn.Dropout(0.5))
    return net


def branches():
    class Branches(mx.gluon.HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.parts = nn.HybridSequential()
                self.parts.add(*[nn.Dense(16, activation="sigmoid") for _ in range(9)])

        def hybrid_forward(self, F, x):
            for part in self.parts:
                x = x + part(x) * 0.1
            return x, F.exp(x)
    return Branches(prefix="net_")


def train(make, steps=3, **how):
    """(parameters after some steps, the plan's bytes) with a net hybridized so."""
    mx.random.seed(3)
    net = make()
    net.initialize(mx.init.Xavier())
    net.hybridize(**how)
    x = nd.random.uniform(shape=(32, 16))
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(steps):
        with autograd.record():
            y = net(x)
        autograd.backward(list(y) if isinstance(y, list) else [y])
        trainer.step(32)
    plan, = {graph.compiled.last_plan for graph in net._graphs.values()}
    return {name: p.data().asnumpy() for name, p in net.collect_params().items()}, plan.memory.size


@pytest.mark.parametrize("make", [lambda: deep(30), with_state, branches], ids=["deep", "state", "branches"])
def test_the_same_numbers(make):
    plain, size = train(make)
    again, smaller = train(make, recompute=True)
    assert smaller < size
    for name, value in plain.items():
        np.testing.assert_array_equal(again[name], value, err_msg=name)


def test_memory_grows_like_the_root_of_the_depth():
    """Four times the layers: four times the memory without, about twice with recomputation."""
    plain, again = ([train(lambda n=n: deep(n), **how)[1] for n in (25, 100)] for how in ({}, {"recompute": True}))
    assert plain[1] / plain[0] > 3.5
    assert again[1] / again[0] < 2.5


def test_its_report():
    net = deep(9)
    net.initialize()
    net.hybridize(recompute=True)
    x = nd.ones((2, 16))
    with autograd.record():
        net(x)
    graph = net._graphs[True]
    reports = []
    known = {name: mx.backend.Spec(a.shape, np.dtype(a.dtype)) for name, a in zip(
        graph.compiled.inputs, [x, *[p.data() for p in graph.params]], strict=True)}
    compile_runner(graph.compiled, known, x.context, tuple(p.name for p in graph.params), reports=reports)
    report, = [r for r in reports if r.name == "recompute"]
    assert str(report).splitlines()[1] == "  3 segments; 8 of 18 operators are computed again"


@pytest.mark.parametrize("view", [lambda F, x: F.reshape(x, shape=(2, 8)), lambda F, x: F.expand_dims(x, axis=0),
                                  lambda F, x: F.Flatten(F.squeeze(x, axis=-1))])
def test_views_of_inputs_which_no_operator_has_to_compute_again(view):
    """Their base is an input, which is no value of the forward part."""
    def gradient(**flags):
        net = nn.HybridLambda(lambda F, x: F.sum(F.tanh(F.tanh(view(F, x) ** 2)) * view(F, x)))
        net.hybridize(**flags)
        x = nd.array(np.random.default_rng(0).normal(size=(4, 4, 1)))
        x.attach_grad()
        with autograd.record():
            y = net(x)
        y.backward()
        return x.grad.asnumpy()
    np.testing.assert_array_equal(gradient(recompute=True), gradient())
