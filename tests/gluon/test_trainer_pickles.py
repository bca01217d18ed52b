"""A Trainer after a step can be pickled together with its net, and goes on from there, whatever its optimizer."""

import pickle

import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

OPTIMIZERS = ["adadelta", "adagrad", "adam", "adamax", "dcasgd", "ftml", "ftrl", "groupadagrad", "lamb", "lars",
              "lbsgd", "nadam", "nag", "rmsprop", "sgd", "signum"]


def step(net, trainer):
    with autograd.record():
        loss = (net(nd.array([[1, 2, 3]])) ** 2).sum()
    loss.backward()
    trainer.step(1)


def both(optimizer, hybridized=False, **more):
    """The weights after a second step, of the copy and of the original."""
    net = nn.Dense(2, in_units=3, use_bias=False)
    net.initialize(mx.init.One())
    if hybridized:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.1, **more})
    step(net, trainer)
    pairs = pickle.loads(pickle.dumps((net, trainer))), (net, trainer)
    for pair in pairs:
        step(*pair)
    return [pair[0].weight.data().asnumpy().tolist() for pair in pairs]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers(optimizer):
    copied, own = both(optimizer)
    assert copied == own


def test_momentum_schedulers_and_graphs():
    copied, own = both("sgd", True, momentum=0.9, lr_scheduler=mx.lr_scheduler.FactorScheduler(1, 0.5, base_lr=0.1))
    assert copied == own
