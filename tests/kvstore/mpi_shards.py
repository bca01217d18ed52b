"""What test_mpi_shards.py starts: `mpirun -n N python tests/kvstore/mpi_shards.py`, in a folder that the runs share.

Training with sharded states is compared with training by one process, also after it was resumed from what earlier runs,
with other numbers of processes, have saved.
"""

import glob
import os

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd

STEPS = 4
OPTIMIZERS = {"sgd": {"learning_rate": 0.05, "momentum": 0.9, "wd": 0.01}, "adam": {"learning_rate": 0.01},
              "lamb": {"learning_rate": 0.02}}
store = mx.kv.create("dist_sync")
rank, ranks = store.rank, store.num_workers
data = np.random.default_rng(0).normal(size=(8, 6)).astype("float32")


def sharded():
    result = mx.kv.create("dist_sync")
    result.shard_optimizer_states()
    return result


def trainer_of(net, name, kvstore, **more):
    return gluon.Trainer(net.collect_params(), name, dict(OPTIMIZERS[name], **more), kvstore=kvstore)


def network():
    mx.random.seed(3)
    net = gluon.nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(gluon.nn.Dense(20, "tanh", in_units=6), gluon.nn.Dense(7, "tanh", in_units=20),
                gluon.nn.Dense(1, in_units=7))
    net.initialize(mx.init.Xavier())
    return net


def backward(net, number, own):
    with autograd.record():
        loss = (net(nd.array(data[own]) * (number + 1)) ** 2).sum()
    loss.backward()


def train(net, trainer, numbers, own=slice(rank, None, ranks)):
    for number in numbers:
        backward(net, number, own)
        trainer.step(8)


def weights(net):
    return np.concatenate([param.data().asnumpy().ravel() for param in net.collect_params().values()])


def same(net, expected, what):
    error = np.abs(weights(net) - expected).max()
    assert error < 1e-6, (what, ranks, rank, error)


def check(name):
    alone = network()
    train(alone, trainer_of(alone, name, None), range(2 * STEPS), slice(None))
    expected, net = weights(alone), network()
    trainer = trainer_of(net, name, sharded())
    train(net, trainer, range(STEPS))
    kept = len(trainer._updaters[0].states)
    trainer.save_states(f"{name}-{ranks}.states")
    if rank == 0:
        net.save_parameters(f"{name}-{ranks}.params")
    store.barrier()
    train(net, trainer, range(STEPS, 2 * STEPS))
    same(net, expected, name)
    for path in sorted(glob.glob(f"{name}-*.states")):
        resumed = network()
        resumed.load_parameters(path.replace(".states", ".params"))
        trainer = trainer_of(resumed, name, sharded())
        trainer.load_states(path)
        train(resumed, trainer, range(STEPS, 2 * STEPS))
        same(resumed, expected, path)
        assert len(trainer._updaters[0].states) == kept
    total, = store.sum_over_processes([kept])
    if rank == 0:
        print(f"{name}: {total:.0f} states", flush=True)


def clipped():
    """`allreduce_grads` gives every process all sums."""
    norms = []
    for kvstore in (sharded(), mx.kv.create("dist_sync")):
        net = network()
        trainer = trainer_of(net, "adam", kvstore)
        for number in range(STEPS):
            backward(net, number, slice(rank, None, ranks))
            trainer.allreduce_grads()
            norms.append(gluon.utils.clip_global_norm([p.grad() for p in net.collect_params().values()], 0.1))
            trainer.update(8)
        norms.append(weights(net))
    np.testing.assert_allclose(norms[:STEPS], norms[STEPS + 1:-1], rtol=1e-6)
    np.testing.assert_allclose(norms[STEPS], norms[-1], rtol=1e-6, atol=1e-7)


def more_processes_than_weights():
    layers = [gluon.nn.Dense(1, in_units=2, use_bias=False, prefix="one_") for _ in range(2)]
    for layer, kvstore in zip(layers, (sharded(), mx.kv.create("dist_sync")), strict=True):
        layer.initialize(mx.init.One(), ctx=[mx.cpu(0), mx.cpu(1)])
        trainer = gluon.Trainer(layer.collect_params(), "adam", kvstore=kvstore)
        for _ in range(STEPS):
            with autograd.record():
                losses = [layer(nd.ones((1, 2), ctx=ctx) * (rank + 1)) for ctx in layer.weight.list_ctx()]
            autograd.backward(losses)
            trainer.step_share(2)
    one, other = ([x.asnumpy().tolist() for x in layer.weight.list_data()] for layer in layers)
    assert one == other, (one, other)
    assert one[0] == one[1]


def refused():
    net = network()
    for make in (lambda: gluon.Trainer(net.collect_params(), "nadam", kvstore=sharded()),
                 lambda: gluon.Trainer(net.collect_params(), "sgd", kvstore=sharded(), update_on_kvstore=True)):
        try:
            make()
        except mx.MXNetError as error:
            if rank == 0:
                print(error, flush=True)


for each in OPTIMIZERS:
    check(each)
clipped()
more_processes_than_weights()
refused()
assert os.path.exists(f"sgd-{ranks}.states")
