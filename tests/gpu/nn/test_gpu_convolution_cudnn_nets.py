"""A net whose convolutions go through cuDNN, of which a stand-in is asked."""

import numpy as np
import pytest
from helpers import gpu_choice  # noqa: F401 - chooses the GPU, or skips the module
from helpers.cudnn_checks import forget, standing_in, ways

import minigluon as mx
from minigluon import autograd, gluon, nd


@pytest.fixture
def cudnn(monkeypatch):
    yield from standing_in(monkeypatch)


def test_a_net_hybridized_or_not(cudnn):
    """Three steps with bias, relu and pooling: imperative, hybridized, and with own kernels give the same."""
    rng, losses = np.random.default_rng(0), []
    x = rng.standard_normal((2, 2, 8, 8)).astype("float32")
    for how in "own", "imperative", "hybridized":
        if how == "own":
            cudnn.status["cudnnCreate"] = 3000
        else:
            cudnn.status.clear()
        forget()
        losses.append(trained(x, how))
    np.testing.assert_allclose(losses[1], losses[0], 1e-4)
    np.testing.assert_allclose(losses[2], losses[0], 1e-4)
    assert {call[0] for call in ways(cudnn)} == {"Forward", "with bias and relu", "BackwardData", "BackwardFilter"}


def trained(x, how):
    with mx.gpu():
        mx.random.seed(1)
        net = gluon.nn.HybridSequential()
        net.add(gluon.nn.Conv2D(3, 3, padding=1, activation="relu"), gluon.nn.BatchNorm(),
                gluon.nn.Conv2D(4, 3, use_bias=False))
        net.initialize()
        if how == "hybridized":
            net.hybridize(static_alloc=True)
        trainer, data, found = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1}), nd.array(x), []
        for _ in range(3):
            with autograd.record():
                loss = net(data).square().mean()
            loss.backward()
            trainer.step(1)
            found.append(loss.asscalar())
    return found
