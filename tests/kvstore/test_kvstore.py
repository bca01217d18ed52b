"""Key-value stores of one process: what they refuse, a program's own store, states in files, a Trainer over devices.

What they compute is in tests/programs/key_values.py; several processes are in test_mpi.py.
"""

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.errors import error_of

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.kvstore.collectives import Running


def test_names_of_stores():
    assert [mx.kv.create(name).type for name in ("local", "Device", "local_allreduce_cpu")] == [
        "local", "device", "local_allreduce_cpu"]
    assert error_of(lambda: mx.kv.create(3), TypeError) == (
        "kvstore.create: the name of a store must be a string such as 'local', found 3")
    assert error_of(lambda: mx.kv.create("locale"), ValueError) == (
        "there is no store 'locale'; expected 'local', 'device', 'dist_sync', 'dist_device_sync', 'dist_async', "
        "'teststore'. Did you mean 'local'?")
    for name, message in [
            ("nccl", "the store 'nccl' is not available: it is NVIDIA's library for several cards in one process. Use "
                     "'device'."),
            ("horovod", "the store 'horovod' is not available: it is a separate library. Use 'dist_sync', and start "
                        "the program with mpirun.")]:
        assert error_of(lambda name=name: mx.kv.create(name)) == message


def test_what_a_store_refuses():
    store = mx.kv.create()
    store.init(3, nd.ones((2, 2)))
    for action, message in [
            (lambda: store.init(3, nd.ones((2, 2))), "init: key 3 has a value already. init and broadcast accept a key "
                                                     "once; use push for later values."),
            (lambda: store.init("a", nd.ones(1)), "keys of one store must be all integers or all strings: it has 3, "
                                                  "found 'a'"),
            (lambda: store.push(4, nd.ones(1)), "push: key 4 has no value yet; the store has 3. Call init(4, value) "
                                                "first."),
            (lambda: store.push(3, nd.ones((2, 3))), "push: key 3 has shape (2, 2), but a value of shape (2, 3) was "
                                                     "given"),
            (lambda: store.pull(3), "pull needs out=, the array or the list of arrays to write to"),
            (lambda: store.pull(3, nd.ones((2, 3))), "pull: key 3 has shape (2, 2), but out has shape (2, 3)"),
            (lambda: store.push([3, 5], [nd.ones((2, 2))]), "push: 2 keys need a list of as many values, found 1"),
            (lambda: store.push([3, "a"], [nd.ones(1)] * 2), "push: keys of one call must be all integers or all "
                                                             "strings, found [3, 'a']"),
            (lambda: store.push(3, np.ones((2, 2))), "push: the value of key 3 must be an NDArray or a list of them, "
                                                     "found ndarray"),
            (lambda: store.row_sparse_pull(3, nd.ones(1), row_ids=nd.ones(1)),
             "row_sparse_pull: key 3: what is stored has storage 'default', expected 'row_sparse'"),
            (lambda: store.row_sparse_pull(3, nd.ones(1)),
             "row_sparse_pull needs out=, the arrays to write to, and row_ids=, the rows to pull"),
            (lambda: store.set_optimizer("sgd"), "set_optimizer needs an Optimizer, found 'sgd'. Create one with "
                                                 "mx.optimizer.create('sgd', learning_rate=0.1)."),
            (lambda: store.save_optimizer_states("x"), "save_optimizer_states: the store has no optimizer. Call "
                                                       "set_optimizer first."),
            (lambda: store.set_gradient_compression({"type": "2bit"}),
             "the store 'local' has no gradient compression; 'device' and 'dist_sync' have it"),
            (lambda: mx.kv.create("device").set_gradient_compression({"type": "1bit"}),
             "compression_params: type is '1bit', expected '2bit', 'float16' or 'bfloat16'"),
            (lambda: mx.kv.create("device").set_gradient_compression({"type": "2bit", "threshold": 0}),
             "compression_params: threshold is 0, expected a number above 0"),
            (lambda: store.is_capable("flying"), "is_capable: unknown capability 'flying'; there is 'optimizer'")]:
        assert error_of(action) == message
    assert store.is_capable("Optimizer")


@pytest.mark.parametrize(("keys", "found"), [
    (["w", np.str_("b"), ""], ["w", "b", ""]), ([5, 2, True], [5, 2, 1]), ([-1, 2 ** 40], [-1, 2 ** 40])])
def test_keys_that_an_updater_receives(keys, found):
    """MXNet passes bytes for strings, and integers in ascending order."""
    store, received = mx.kv.create("local"), []
    store.set_updater(lambda key, total, stored: received.append(key))
    store.init(keys, [nd.zeros((1,))] * len(keys))
    store.push(keys, [nd.ones((1,))] * len(keys))
    for key in keys:
        store.push(key, nd.ones((1,)))
    assert received == [*found, *found]
    assert {type(key) for key in received} == {type(found[0])}
    if 2 ** 40 not in keys:
        store.set_optimizer(mx.optimizer.SGD(momentum=0.9))
        store.push(keys, [nd.ones((1,))] * len(keys))
        assert [type(key) for key in store._updater.states] == [type(key) for key in found]


def test_states_in_a_file(tmp_path):
    path, stores = str(tmp_path / "states"), []
    for _ in range(2):
        store = mx.kv.create()
        store.init("w", nd.ones(3))
        store.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
        stores.append(store)
    first, second = stores
    first.push("w", nd.ones(3))
    first.save_optimizer_states(path, dump_optimizer=True)
    second.push("w", nd.ones(3))
    second.load_optimizer_states(path)
    found = [nd.empty(3), nd.empty(3)]
    for store, out in zip(stores, found, strict=True):
        store.push("w", nd.zeros(3))
        store.pull("w", out)
    assert np.array_equal(found[0].asnumpy(), found[1].asnumpy())
    with open(path, "wb") as file:
        file.write(b"no states")
    assert error_of(lambda: second.load_optimizer_states(path)).startswith(f"cannot load {path!r}: the 9 bytes are no")


@pytest.fixture
def own_store():
    """A store that a program has written, known by its name during the test."""
    @mx.kv.KVStoreBase.register
    class Doubling(mx.kv.KVStoreBase):
        type, rank, num_workers, calls = "doubling", 0, 1, []

        def broadcast(self, key, value, out, priority=0):
            self.calls.append(key)

        def pushpull(self, key, value, out=None, priority=0):
            for x in value:
                x *= 2

        @staticmethod
        def is_capable(capability):
            return False

    yield Doubling
    del mx.kv.KVStoreBase.kv_registry["doubling"]


def test_a_store_of_the_program(own_store):
    net = gluon.nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.One())
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}, kvstore="doubling")
    for _ in range(2):
        with autograd.record():
            loss = net(nd.ones((1, 2))).sum()
        loss.backward()
        trainer.step(1)
    assert net.weight.data().asnumpy().tolist() == [[-1, -1]]
    assert own_store.calls == [0]
    assert error_of(lambda: gluon.Trainer(net.collect_params(), "sgd", kvstore=own_store(), update_on_kvstore=True),
                    ValueError) == (
        "Trainer: the store Doubling does not support an optimizer. Omit update_on_kvstore=True: then the devices "
        "update the parameters.")
    assert error_of(lambda: mx.kv.KVStoreBase.register(int)) == (
        "KVStoreBase.register takes a class derived from KVStoreBase, found <class 'int'>")
    with pytest.warns(UserWarning, match="the store 'doubling' was "):
        mx.kv.KVStoreBase.register(type("Doubling", (mx.kv.KVStoreBase,), {}))


def test_what_a_trainer_leaves_to_its_store(tmp_path):
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = gluon.nn.Dense(1, in_units=2)
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "adam", kvstore="local", update_on_kvstore=True)
    for call in (trainer.allreduce_grads, lambda: trainer.update(1)):
        assert error_of(call).endswith(": with update_on_kvstore=True the store sums the gradients and updates the "
                                       "parameters at once. Create the Trainer with update_on_kvstore=False.")
    with autograd.record():
        losses = [net(nd.ones((1, 2), ctx=ctx)).sum() for ctx in contexts]
    autograd.backward(losses)
    trainer.step(2)
    before = net.weight.data(contexts[1]).asnumpy()
    path = str(tmp_path / "states")
    trainer.save_states(path)
    trainer.load_states(path)
    trainer.set_learning_rate(0.5)
    assert trainer._kvstore._updater.optimizer is trainer.optimizer
    assert np.array_equal(before, net.weight.data(contexts[0]).asnumpy())


def test_compressed_gradients_of_a_trainer():
    net = gluon.nn.Dense(1, in_units=2, use_bias=False)
    net.initialize(mx.init.Zero(), ctx=[mx.cpu(0), mx.cpu(1)])
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1}, kvstore="device",
                            compression_params={"type": "2bit", "threshold": 0.5})
    seen = []
    for _ in range(3):
        with autograd.record():
            losses = [net(nd.array([[0.3, 2]], ctx=ctx)).sum() for ctx in net.weight.list_ctx()]
        autograd.backward(losses)
        trainer.step(1)
        seen.append((-net.weight.data(mx.cpu(1))).asnumpy().ravel().tolist())
    assert seen == [[0, 1], [1, 2], [1, 3]]         # 0.3 is kept until it has become 0.5; 2 is sent as 0.5
    for key in (0, 7):                              # a metric, even with a gradient's key, is not a gradient
        metric = [nd.array([[37.25, 1]], ctx=ctx) for ctx in net.weight.list_ctx()]
        trainer._kvstore.pushpull(key, metric)
        assert metric[1].asnumpy().tolist() == [[74.5, 2]]


def test_an_error_of_a_collective_is_raised_at_each_call():
    """The thread that moves gradients may meet it first; the step must not take the array for a sum."""
    def steps():
        yield []
        raise MemoryError("no room")

    mpi = SimpleNamespace(Request=SimpleNamespace(Testall=lambda requests: True))
    operation = Running(mpi, steps())
    for _ in range(2):
        with pytest.raises(MemoryError, match="no room"):
            operation.advance()
