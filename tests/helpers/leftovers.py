"""Nets and steps of many kinds, and what a step leaves to Python's garbage collector."""

import gc
from collections import Counter

from minigluon import autograd, gluon, nd
from minigluon.gluon import nn, rnn

ROUNDS = 3


def leftovers(run):
    """Names of the objects that some calls of `run` leave in cycles."""
    run()           # what the first call makes and the next ones use: traces, plans, caches
    run()
    gc.freeze()     # what is there already is not looked at
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.garbage.clear()
    try:
        for _ in range(ROUNDS):
            run()
        gc.collect()
        return Counter(getattr(found, "__qualname__", type(found).__name__) for found in gc.garbage)
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.unfreeze()
        gc.enable()


def mlp():
    net = nn.HybridSequential()
    with net.name_scope():
        net.add(nn.Dense(8, activation="relu"), nn.BatchNorm(), nn.Dropout(0.5), nn.Dense(3))
    return net


def convolutions():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3), nn.MaxPool2D(), nn.Flatten(), nn.Dense(3))
    return net


class Nested(gluon.HybridBlock):
    """Returns arrays in nested lists."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return self.dense(x), [x * 2, x + 1]


class Loop(gluon.HybridBlock):
    """Runs a layer in a loop."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3)

    def hybrid_forward(self, F, x):
        return F.contrib.foreach(lambda row, state: (self.dense(row) + state, state + 1), x, F.zeros((2, 3)))


NETS = {
    "mlp": (mlp, (4, 5)),
    "convolutions": (convolutions, (2, 3, 8, 8)),
    "nested": (Nested, (4, 5)),
    "loop": (Loop, (3, 2, 3)),
    "LSTM": (lambda: rnn.LSTM(5, 2), (3, 2, 4)),
    "GRU": (lambda: rnn.GRU(5, 2), (3, 2, 4)),
    "unrolled": (lambda: rnn.LSTMCell(5), (2, 3, 4)),
}


def first(outputs):
    return first(outputs[0]) if isinstance(outputs, (list, tuple)) else outputs


def prepared(name, hybrid):
    """(net, its loss, a batch, a Trainer)"""
    make, shape = NETS[name]
    net, loss = make(), gluon.loss.L2Loss()
    net.initialize()
    if hybrid:
        net.hybridize()
        loss.hybridize()
    return net, loss, nd.random.normal(shape=shape), \
        gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})


def forward(net, x):
    return first(net.unroll(3, x, merge_outputs=True) if isinstance(net, rnn.LSTMCell) else net(x))


def train_step(net, loss, x, trainer):
    with autograd.record():
        y = forward(net, x)
        error = loss(y, nd.zeros_like(y))
    error.backward()
    trainer.step(2)
