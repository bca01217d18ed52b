"""The contract of a backend is small: one that counts what operators compute has 25 lines, and trains LeNet."""

import inspect
from collections import Counter

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import Backend, Kernel, ReferenceBackend, registry, use_backend
from minigluon.gluon import nn


class Flops(ReferenceBackend):
    """NumPy's backend, and the number of multiplications in products and convolutions as they run."""

    name = "flops"

    def __init__(self):
        self.count = Counter()

    def prepare(self, op, inputs, outputs, train, rng):
        kernel = super().prepare(op, inputs, outputs, train, rng)
        if op.name not in ("FullyConnected", "Convolution"):
            return kernel
        weight = inputs[1].shape                # each result adds up what one row of the weight says
        products = int(np.prod(outputs[0].shape) * np.prod(weight[1:]))
        return Kernel(self.counting(op.name, products, kernel.run),
                      self.counting(op.name, products, kernel.write), kernel.scratch)

    def counting(self, name, products, compute):
        def counted(*buffers):
            self.count[name] += products
            return compute(*buffers)
        return counted


@pytest.fixture
def flops():
    backend = Flops()
    registry.install(backend)
    with use_backend("flops"):
        yield backend
    registry.uninstall("flops")


def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="relu"),
            nn.MaxPool2D(2, 2), nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    return net


# 20 filters of 1 · 25 at 24 · 24 windows, 50 of 20 · 25 at 8 · 8; then 800 · 128 and 128 · 10
BY_HAND = {"Convolution": 20 * 25 * 24 ** 2 + 50 * 500 * 8 ** 2, "FullyConnected": 800 * 128 + 1280}


@pytest.mark.parametrize("hybridized", [False, True])
def test_lenet_runs_and_is_counted(flops, hybridized):
    net, x = lenet(), nd.random.normal(shape=(3, 1, 28, 28))
    net(x)
    net.hybridize(hybridized)
    flops.count.clear()
    net(x)
    assert flops.count == {name: 3 * products for name, products in BY_HAND.items()}


def test_lenet_learns_on_it(flops):
    net, x, label = lenet(), nd.random.normal(shape=(8, 1, 28, 28)), nd.arange(8)
    net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    loss, losses = gluon.loss.SoftmaxCrossEntropyLoss(), []
    for _ in range(10):
        with autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(8)
        losses.append(error.mean().asscalar())
    assert losses[-1] < losses[0] / 2
    assert flops.count["Convolution"] == 10 * 8 * BY_HAND["Convolution"]


def test_the_contract_has_fourteen_methods_and_the_reference_has_them_all():
    methods = [name for name, value in vars(Backend).items() if inspect.isfunction(value) and not name.startswith("_")]
    assert methods == ["on", "details", "empty", "zeros", "full", "view", "views", "offset", "from_numpy",
                       "to_numpy", "synchronize", "prepare", "fallback", "prepare_program"]
    for name in methods:
        declared, ours = (list(inspect.signature(getattr(cls, name)).parameters) for cls in (Backend, ReferenceBackend))
        assert declared == ours, name


@pytest.mark.parametrize("name", sorted(registry.available()))
def test_no_backend_adds_a_public_method(name):
    """What it has besides the contract is its own affair: minigluon asks for nothing else."""
    known = set(vars(Backend)) | set(Backend.__annotations__)
    public = {member for member in dir(registry.available()[name]) if not member.startswith("_")}
    assert public <= known
