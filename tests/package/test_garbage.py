"""What a program drops is freed at once: nothing waits until Python's garbage collector looks for cycles.

A step that leaves cycles behind keeps its arrays for hundreds of steps more, on a GPU, too. Here the collector is off,
and what it then finds must be nothing.
"""

import gc
import weakref

import numpy as np
import pytest
from helpers.leftovers import NETS, forward, leftovers, mlp, prepared, train_step

import minigluon as mx
from minigluon import autograd, gluon, nd, sym


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


def test_objects_that_the_program_froze_stay_frozen_and_are_counted_once(monkeypatch):
    """`gc.get_freeze_count` takes time proportional to their number: with a million, several times that of a plan."""
    counts, count = [], gc.get_freeze_count
    monkeypatch.setattr(gc, "get_freeze_count", lambda: counts.append(count()) or counts[-1])
    monkeypatch.setattr("minigluon.hybrid.collector._program_freezes", False)
    gc.freeze()
    try:
        frozen, net = count(), gluon.nn.Dense(2, in_units=3)
        net.initialize()
        net.hybridize()
        for length in 2, 3:
            net(nd.ones((length, 3)))
        assert len(counts) == 1
        assert count() >= frozen - 10           # a few of them have been freed
    finally:
        gc.unfreeze()
