"""Plans of this backend do not keep what a clip reads and gives: the same bits in less memory, at most PyTorch's."""

import math
import sys

import numpy as np
import pytest

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

MEGABYTE = 2 ** 20


class Bottleneck(gluon.HybridBlock):
    """relu(x + body(x)), with a relu6 between."""

    def __init__(self):
        super().__init__()
        with self.name_scope():
            self.body = nn.HybridSequential(prefix="")
            self.body.add(nn.Conv2D(16, 1), nn.BatchNorm(), nn.Activation("relu"), nn.Conv2D(16, 3, padding=1),
                          nn.BatchNorm(), nn.HybridLambda(lambda F, x: F.clip(x, 0, 6)), nn.Conv2D(16, 1),
                          nn.BatchNorm(scale=False))

    def hybrid_forward(self, F, x):
        return F.relu(self.body(x) + x)


def trained(monkeypatch, passes, special=0.0, calls=3):
    """(plan, parameters and gradients) after some steps, with the pass or without it."""
    with monkeypatch.context() as patch:
        if not passes:
            patch.setattr(sys.modules["minigluon_accel.passes.recompute_normalized"], "cheap_to_recompute",
                          lambda *_: [])
        mx.random.seed(3)
        net = nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Conv2D(16, 3, padding=1), *[Bottleneck() for _ in range(3)], nn.GlobalAvgPool2D(), nn.Dense(3))
        net.initialize(mx.init.Xavier())
        x = nd.random.uniform(shape=(8, 3, 32, 32))
        x[0, 0, 0, 0] = special
        net(x)
        net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
        for _ in range(calls):
            with autograd.record():
                y = net(x).square().sum()
            y.backward(retain_graph=True)
            y.backward()
            trainer.step(8)
        plan, = {graph.compiled.last_plan for graph in net._graphs.values()}
        params = net.collect_params().items()
        return plan, {name: [a.asnumpy() for a in (p.data(), *(p.list_grad() if p.grad_req != "null" else ()))]
                      for name, p in params}


@pytest.mark.parametrize("special", [0.5, float("nan")])
def test_the_same_bits_in_less_memory(monkeypatch, special):
    plan, found = trained(monkeypatch, True, special)
    whole, wanted = trained(monkeypatch, False, special)
    for name, arrays in wanted.items():
        for x, y in zip(found[name], arrays, strict=True):
            np.testing.assert_array_equal(x, y, err_msg=name)
    assert plan.memory.peak < 0.9 * whole.memory.peak
    ops = [step.op.name for step in plan.steps]
    assert ops.count("_contrib_BatchNormWithReLU") == 3         # relu behind it
    assert ops.count("_batch_norm_recompute") == 3
    assert "_batch_norm_recompute" not in [step.op.name for step in whole.steps]


def test_small_values_and_predictions_stay_as_they_are(monkeypatch):
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.BatchNorm(), nn.Activation("relu"), nn.GlobalAvgPool2D())
    net.initialize()
    net.hybridize()
    for size in (8, 64):
        with autograd.record(size == 8):
            net(nd.ones((4, 1, size, size)))
    for graph in net._graphs.values():
        assert "_batch_norm_recompute" not in [step.op.name for step in graph.compiled.last_plan.steps]


@pytest.mark.parametrize(("name", "megabytes"), [("mobilenetv2_0.25", 48), ("squeezenet1.1", 43)])
def test_a_train_step_needs_at_most_pytorchs_memory(name, megabytes):
    """megabytes: PyTorch's peak in the same step, see benchmarks/zoo.md. Gradients are there from step to step."""
    net = mx.gluon.model_zoo.vision.get_model(name)
    net.initialize()
    net.hybridize()
    with autograd.record():
        net(nd.ones((2, 3, 224, 224)))
    plan, = {graph.compiled.last_plan for graph in net._graphs.values()}
    gradients = sum(4 * math.prod(p.shape) for p in net.collect_params().values() if p.grad_req != "null")
    assert plan.memory.peak + gradients < megabytes * MEGABYTE
