"""What test_mpi_async.py starts: `mpirun -n N python tests/kvstore/mpi_async.py`, in a folder that the run may use."""

import atexit
import time

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.kvstore import asynchronous

store = mx.kv.create("dist_async")
rank, ranks = store.rank, store.num_workers
SHAPES = {"a": (3,), "b": (2, 3), "long": (30_000,), "half": (5,), "rows": (4, 2)}
DTYPES = {"half": "float16"}
PUSHES = 3
asynchronous.MESSAGE_BYTES = 100_000        # so that a push takes several messages


@atexit.register                            # before the server exists, so this is called when it has ended
def the_last_push_has_arrived():
    if rank == 0:
        assert (last._shelf.weights["last"].asnumpy() == 1).all()
    print("done", flush=True)


def pulled(kvstore, key):
    out = nd.zeros(SHAPES[key], dtype=kvstore._stored[key].dtype)
    kvstore.pull(key, out)
    return out


def all_pushes_arrive():
    """Integers, so that the order of the steps does not matter."""
    keys = list(SHAPES)
    store.init(keys, [nd.ones(shape, dtype=DTYPES.get(key, "float32")) * (rank + 5) for key, shape in SHAPES.items()])
    assert (pulled(store, "b").asnumpy() == 5).all()                # the values of rank 0
    store.set_optimizer(mx.optimizer.SGD(learning_rate=1))
    for _ in range(PUSHES + rank):
        rows = nd.sparse.row_sparse_array((np.ones((1, 2)), [rank]), shape=(4, 2))
        store.push(keys, [rows if key == "rows" else nd.ones(shape, dtype=DTYPES.get(key, "float32"))
                          for key, shape in SHAPES.items()])
    assert pulled(store, "a").asnumpy().max() <= 5 - PUSHES - rank          # its own are there
    store.barrier()
    counts = [PUSHES + number for number in range(ranks)]
    for key in keys[:-1]:
        found = pulled(store, key).asnumpy()
        assert (found == 5 - sum(counts)).all(), (key, found)
    assert pulled(store, "rows").asnumpy()[:, 1].tolist() == [5 - n for n in counts] + [5] * (4 - ranks)
    applied, = store.sum_over_processes([sum(store.staleness().values())])
    assert applied == len(keys) * sum(counts)


def a_limit(limit):
    """The slow process 0 holds back the others, but they do not wait for it at each step."""
    own = mx.kv.create("dist_async")
    own.limit_staleness(limit)
    own.init(["x", "y"], [nd.zeros((2,)), nd.zeros((3,))])
    own.set_optimizer(mx.optimizer.SGD(learning_rate=1))
    outs = [nd.zeros((2,)), nd.zeros((3,))]
    for step in range(6):
        own.pushpull(["x", "y"], [nd.ones((2,)), nd.ones((3,))], outs)
        if rank == 0:
            time.sleep(0.01)
        else:                       # process 0 has pushed at least step + 1 - limit times, and the others as well
            assert outs[0].asnumpy().max() <= -(step + 1) - (ranks - 1) * max(0, step + 1 - limit)
    largest = max(own.staleness(), default=0)
    assert largest <= (ranks - 1) * (2 * limit + 1), own.staleness()
    own.barrier()


def training():
    """Two devices, deferred parameters, and processes with different numbers of steps."""
    mx.random.seed(rank)
    rng = np.random.default_rng(rank)
    contexts = [mx.cpu(0), mx.cpu(1)]
    net = gluon.nn.Dense(1, use_bias=False)
    net.initialize(ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.05, "momentum": 0.5}, kvstore="dist_async")
    assert trainer.count_samples(8) == 8
    for _ in range(40 + 5 * rank):
        x = rng.normal(size=(8, 3))
        xs, ys = (gluon.utils.split_and_load(values, contexts) for values in (x, x @ [[1], [2], [3]]))
        with autograd.record():
            losses = [gluon.loss.L2Loss()(net(part), target) for part, target in zip(xs, ys, strict=True)]
        autograd.backward(losses)
        trainer.step(8)
    error = np.abs(net.weight.data(contexts[1]).asnumpy() - [[1, 2, 3]]).max()
    assert error < 0.3, (rank, error)
    return trainer


def states(trainer):
    """One process writes the states of all; all read them."""
    trainer._kvstore.barrier()
    if rank == ranks - 1:
        trainer.save_states("async.states")
    trainer._kvstore.barrier()
    before = trainer._kvstore._shelf.updater
    trainer.load_states("async.states")
    after = trainer._kvstore._shelf.updater
    assert list(after.states) == list(before.states)
    for key, state in before.states.items():
        assert (after.states[key].asnumpy() == state.asnumpy()).all()
    assert after.optimizer.momentum == 0.5
    assert after.optimizer._all_index_update_counts[0] == {0: sum(40 + 5 * number for number in range(ranks))}
    assert after.optimizer.param_dict == before.optimizer.param_dict


def module():
    net = mx.sym.SoftmaxOutput(mx.sym.FullyConnected(mx.sym.var("data"), num_hidden=3, name="fc"), name="softmax")
    data = np.random.default_rng(rank).normal(size=(24, 4))
    mod = mx.mod.Module(net)
    mod.fit(mx.io.NDArrayIter(data, data[:, :3].argmax(1), 8), kvstore="dist_async", num_epoch=20,
            optimizer_params={"learning_rate": 0.5}, initializer=mx.init.Constant(0.1))
    assert mod._stepper.optimizer.rescale_grad == 1 / 8
    assert mod.score(mx.io.NDArrayIter(data, data[:, :3].argmax(1), 8), "acc")[0][1] > 0.8


def other_optimizers():
    own = mx.kv.create("dist_async")
    try:
        own.set_optimizer(mx.optimizer.create("sgd" if rank else "adam"))
    except mx.MXNetError as error:
        if rank == 0:
            print(error, flush=True)


def alone():
    """One process takes the steps that a local store takes."""
    results = []
    for kvstore in (mx.kv.create("dist_device_async"), mx.kv.create("local")):
        kvstore.init(["w", "v"], [nd.ones((2,)), nd.ones((3,))])
        kvstore.set_optimizer(mx.optimizer.SGD(learning_rate=0.1, momentum=0.9))
        for step in range(3):
            kvstore.pushpull(["w", "v"], [nd.array([1, step]), nd.ones((3,))])
        out = nd.zeros((2,))
        kvstore.pull("w", out)
        results.append((out.asnumpy().tolist(), kvstore.staleness()))
    (one, stale), (other, _) = results
    assert one == other
    assert stale == {0: 6}


def refused():
    layer, kvstore = gluon.nn.Dense(1, in_units=2), mx.kv.create("dist_async")
    layer.initialize()
    for action in (lambda: kvstore.push("w", nd.ones((1,))), lambda: kvstore.set_updater(print),
                   lambda: kvstore.set_gradient_compression({"type": "float16"}), lambda: kvstore.limit_staleness(-1),
                   lambda: kvstore.init("w", nd.ones((2, 1)).tostype("row_sparse")),
                   lambda: gluon.Trainer(layer.collect_params(), "sgd", kvstore=kvstore, update_on_kvstore=False)):
        try:
            action()
        except mx.MXNetError as error:
            print(error, flush=True)


def a_push_just_before_the_end():
    """It is so long that it is sent in parts, and the others have ended."""
    last.init("last", nd.zeros((2_000_000,)))
    last.set_optimizer(mx.optimizer.SGD(learning_rate=-1))
    if rank == ranks - 1:
        time.sleep(0.2)
        last.push("last", nd.ones((2_000_000,)))


last = mx.kv.create("dist_async")
if ranks == 1:
    alone()
    refused()
all_pushes_arrive()
for number in (0, 2):
    a_limit(number)
states(training())
module()
other_optimizers()
if rank == 1:
    time.sleep(0.1)         # the others have ended, and still serve
    assert pulled(store, "b").shape == (2, 3)
a_push_just_before_the_end()
