"""`mx.kv.create("teststore")`: MXNet's store in plain Python, and who uses it."""

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import autograd, gluon, nd

pytestmark = pytest.mark.once


@pytest.mark.parametrize("name", ["teststore", "TestStore", "TESTSTORE"])
def test_what_it_is(name):
    store = mx.kv.create(name)
    assert (store.type, store.rank, store.num_workers) == ("teststore", 0, 1)
    assert store.is_capable("optimizer") is store.is_capable("Optimizer") is False
    assert error_of(lambda: store.is_capable("sums"), ValueError) == (
        "TestStore: there is no capability 'sums', expected 'optimizer'")


def test_broadcast_copies_to_each():
    store, targets = mx.kv.create("teststore"), [nd.zeros(2, ctx=mx.cpu(k)) for k in range(2)]
    store.broadcast("w", nd.array([1, 2]), targets)
    assert [x.asnumpy().tolist() for x in targets] == [[1, 2], [1, 2]]
    store.broadcast("w", nd.array([3, 4]), targets[0])
    assert [x.asnumpy().tolist() for x in targets] == [[3, 4], [1, 2]]


def test_pushpull_adds_up():
    store = mx.kv.create("teststore")
    values = [nd.array([1, 2], ctx=mx.cpu(k)) * (k + 1) for k in range(2)]
    targets = [nd.zeros(2), nd.zeros(2)]
    store.pushpull("w", values, targets)
    assert [x.asnumpy().tolist() for x in targets] == [[3, 6], [3, 6]]
    assert values[0].asnumpy().tolist() == [1, 2]
    store.pushpull("w", values)
    assert [x.asnumpy().tolist() for x in values] == [[3, 6], [3, 6]]
    store.pushpull("w", nd.array([5, 5]), targets[0])
    assert [x.asnumpy().tolist() for x in targets] == [[5, 5], [3, 6]]


def test_it_makes_no_steps():
    store = mx.kv.create("teststore")
    for action in (lambda: store.set_optimizer(mx.optimizer.SGD()), lambda: store.save_optimizer_states("f"),
                   lambda: store.load_optimizer_states("f")):
        with pytest.raises(NotImplementedError):
            action()


def test_a_trainer_with_it():
    weights = []
    for kvstore in ("teststore", "device"):
        net = gluon.nn.Dense(1, in_units=2)
        net.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
        trainer = gluon.Trainer(net.collect_params(), "adam", kvstore=kvstore)
        for step in range(3):
            with autograd.record():
                losses = [(net(nd.array([[k, step]], ctx=mx.cpu(k))) ** 2).sum() for k in range(2)]
            autograd.backward(losses)
            trainer.step(2)
        weights.append(net.weight.data(mx.cpu(1)).asnumpy())
    np.testing.assert_array_equal(*weights)


def test_a_module_with_it():
    weights = []
    for kvstore in ("teststore", "local"):
        net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=2, name="fc"), name="softmax")
        mod = mx.mod.Module(net, context=[mx.cpu(0), mx.cpu(1)])
        mod.bind([("data", (4, 3))], [("softmax_label", (4,))])
        mod.init_params(arg_params={"fc_weight": nd.ones((2, 3)), "fc_bias": nd.zeros(2)})
        mod.init_optimizer(kvstore=mx.kv.create(kvstore), optimizer_params={"learning_rate": 0.5})
        for _ in range(2):
            mod.forward_backward(mx.io.DataBatch([nd.arange(12).reshape((4, 3))], [nd.array([0, 1, 1, 0])]))
            mod.update()
        weights.append(mod.get_params()[0]["fc_weight"].asnumpy())
    np.testing.assert_allclose(*weights, rtol=1e-6)


def test_parameters_without_values_follow_when_they_have_them():
    net = gluon.nn.Dense(1, use_bias=False)
    net.initialize(mx.init.One())
    store = mx.kv.create("teststore")
    given = []
    store.broadcast = lambda key, value, out: given.append(key)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1}, kvstore=store)
    trainer._init_kvstore()
    assert given == []
    with autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()
    for _ in range(2):
        trainer.step(1, ignore_stale_grad=True)
    assert given == [0]
    assert net.weight.data().asnumpy().tolist() == [[0, 0]]
