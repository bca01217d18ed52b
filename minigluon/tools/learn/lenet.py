"""LeNet, trained for a few batches, which is the test that every finished step's code must pass.

Its images are ten patterns with noise, so that nothing is downloaded and a few batches are enough for the loss to fall.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from ... import autograd, gluon, initializer, random
from ... import ndarray as nd
from ...context import cpu
from ...gluon import nn

if TYPE_CHECKING:
    from ...gluon.nn.basic_layers import Dense
    from ...gluon.nn.containers import HybridSequential
    from ...gluon.parameter import Parameter

__all__ = ["times", "train"]

BATCHES = 16
BATCH_SIZE = 16
ROUNDS = 8          # of the timing; the fastest of them counts


def train() -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Return (losses of the batches, outputs of the net): first imperative batches, then as many hybridized ones.
    """
    with cpu():
        random.seed(0)
        np.random.seed(0)
        net = LeNet(prefix="lenet_")
        net.initialize(initializer.Xavier())
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.2, "momentum": 0.9})
        measure = gluon.loss.SoftmaxCrossEntropyLoss()
        losses = []
        images, labels = _patterns()
        loader = gluon.data.DataLoader(gluon.data.ArrayDataset(images, labels), batch_size=BATCH_SIZE)
        for number, (data, label) in enumerate(loader):
            if number == BATCHES // 2:
                net.hybridize()
            with autograd.record():
                loss = measure(net(data), label)
            loss.backward()
            trainer.step(BATCH_SIZE)
            losses.append(float(loss.mean().asscalar()))
        return losses, net(nd.array(images[:4])).asnumpy()


def times() -> dict[str, float]:
    """Return {'tape': seconds, 'plan': seconds} of one batch, forward and backward: imperative, and hybridized."""
    with cpu():
        nets = {"tape": LeNet(prefix="tape_"), "plan": LeNet(prefix="plan_")}
        nets["plan"].hybridize()
        measure = gluon.loss.SoftmaxCrossEntropyLoss()
        images, labels = (nd.array(values[:BATCH_SIZE]) for values in _patterns())
        for net in nets.values():
            net.initialize(initializer.Xavier())
        best = dict.fromkeys(nets, float("inf"))
        for _ in range(ROUNDS):                 # alternately, so that other programs disturb both alike
            for name, net in nets.items():
                started = time.perf_counter()
                with autograd.record():
                    loss = measure(net(images), labels)
                loss.backward()
                loss.wait_to_read()
                best[name] = min(best[name], time.perf_counter() - started)
        return best


class LeNet(gluon.HybridBlock):
    """LeNet after a layer that learns contrast and brightness, so that the net also uses broadcasting."""

    def __init__(self, **kwargs: Any):
        super().__init__(**kwargs)
        with self.name_scope():
            self.contrast: Parameter = self.params.get("contrast", shape=(1, 1, 1, 1), init="ones")
            self.brightness: Parameter = self.params.get("brightness", shape=(1,), init="zeros")
            self.body: HybridSequential = nn.HybridSequential()
            self.body.add(nn.Conv2D(6, kernel_size=5, activation="relu"), nn.MaxPool2D(2),
                          nn.Conv2D(12, kernel_size=3, activation="relu"), nn.MaxPool2D(2), nn.Dense(32))
            self.out: Dense = nn.Dense(10)

    def hybrid_forward(self, F: Any, x: Any, contrast: Any, brightness: Any) -> Any:
        return self.out(F.tanh(self.body(x * contrast + brightness)))


def _patterns():
    """Return (images (n, 1, 16, 16), labels (n,)) of ten classes."""
    rng = np.random.RandomState(0)
    patterns = rng.uniform(0, 1, (10, 1, 16, 16)).astype("float32")
    labels = np.arange(BATCHES * BATCH_SIZE) % 10
    noise = rng.normal(0, 0.1, (len(labels), 1, 16, 16))
    return (patterns[labels] + noise).astype("float32"), labels.astype("float32")
