"""What a program drops is freed at once: nothing waits until Python's garbage collector looks for cycles.

A step that leaves cycles behind keeps its arrays for hundreds of steps more, on a GPU, too. Here the collector is off,
and what it then finds must be nothing.
"""

import gc
import weakref
from collections import Counter

import numpy as np
import pytest

import minigluon as mx
from minigluon import autograd, gluon, nd, sym
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


class Doubled(mx.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        self.assign(out_data[0], req[0], in_data[0] * 2)

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.assign(in_grad[0], req[0], out_grad[0] * 2)


@mx.operator.register("doubled_without_garbage")
class DoubledProp(mx.operator.CustomOpProp):
    def create_operator(self, ctx, shapes, dtypes):
        return Doubled()


class Square(autograd.Function):
    def forward(self, x):
        self.save_for_backward(x)
        return x * x

    def backward(self, dy):
        x, = self.saved_tensors
        return 2 * x * dy


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


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", NETS)
def test_a_train_step(name, hybrid):
    parts = prepared(name, hybrid)
    assert not leftovers(lambda: train_step(*parts))


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", NETS)
def test_a_forward_pass(name, hybrid):
    net, _, x, _ = prepared(name, hybrid)
    assert not leftovers(lambda: forward(net, x))


@pytest.mark.parametrize("hybrid", [False, True], ids=["imperative", "hybridized"])
@pytest.mark.parametrize("name", NETS)
def test_a_net_with_its_trainer(name, hybrid):
    assert not leftovers(lambda: train_step(*prepared(name, hybrid)))


def test_a_step_in_one_call():
    def run():
        net = mlp()
        net.initialize()
        step = gluon.TrainStep(net, gluon.loss.SoftmaxCrossEntropyLoss(), gluon.Trainer(net.collect_params(), "adam"))
        for _ in range(2):
            step(nd.ones((4, 5)), nd.zeros((4,)))
    assert not leftovers(run)


def test_a_dropped_net_frees_its_arrays():
    gc.disable()
    try:
        net, loss, x, trainer = prepared("mlp", True)
        train_step(net, loss, x, trainer)
        seen = [weakref.ref(net), weakref.ref(net[0].weight), weakref.ref(trainer)]
        del net, loss, trainer
        assert [ref() for ref in seen] == [None] * 3
    finally:
        gc.enable()


def test_operators_in_python():
    x = nd.ones((3,))
    x.attach_grad()

    def run():
        with autograd.record():
            y = Square()(nd.Custom(x, op_type="doubled_without_garbage"))
        y.backward()
    assert not leftovers(run)


def test_the_tape():
    x = nd.ones((3,))
    x.attach_grad()

    def run():
        with autograd.record():
            y = x * x * x
            z = autograd.grad(y, [x], create_graph=True)[0].sum()
            nd.exp(x)           # dropped before any backward
        z.backward()
    assert not leftovers(run)


def test_module_executor_and_iterators():
    data = mx.io.NDArrayIter(np.ones((20, 5), "f"), np.zeros(20, "f"), 5)
    output = sym.SoftmaxOutput(sym.FullyConnected(sym.var("data"), num_hidden=3), name="softmax")
    metric = mx.metric.Accuracy()

    def run():
        module = mx.mod.Module(output)
        module.bind(data.provide_data, data.provide_label)
        module.init_params()
        module.init_optimizer()
        data.reset()
        for batch in data:
            module.forward_backward(batch)
            module.update()
            module.update_metric(metric, batch.label)
        executor = output.simple_bind(mx.cpu(), data=(5, 5))
        executor.forward(is_train=True)
        executor.backward()
    assert not leftovers(run)


@pytest.mark.parametrize("workers", [0, 1])
def test_data_loader(workers):
    data = gluon.data.ArrayDataset(np.ones((20, 5), "f"), np.zeros(20, "f"))
    loader = gluon.data.DataLoader(data, 5, shuffle=True, num_workers=workers)
    assert not leftovers(lambda: list(loader))
