"""What test_mpi_batch_norm.py starts: `mpirun -n N python tests/kvstore/mpi_batch_norm.py`.

A net with SyncBatchNorm trains on shares of unequal length, and is compared with BatchNorm in one process, which has
the whole batch: outputs, gradients, running statistics and weights.
"""

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn
from minigluon.gluon.contrib.nn import SyncBatchNorm

COUNT, STEPS = 9, 4
store = mx.kv.create("dist_sync")
rank, ranks = store.rank, store.num_workers
data = (np.random.default_rng(0).normal(size=(COUNT, 3, 4, 4)) * [[[[2]], [[1]], [[0.5]]]] + 1).astype("float32")
cuts = [0, *[COUNT - 2 ** (ranks - number) + 1 for number in range(1, ranks)], COUNT]
own = slice(cuts[rank], cuts[rank + 1])


def network(prefix, layer, hybrid):
    mx.random.seed(1)
    net = nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(layer(), nn.Conv2D(4, 3, in_channels=3), layer(), nn.Activation("relu"), nn.Dense(2, in_units=16))
    net.initialize(mx.init.Xavier())
    if hybrid:
        net.hybridize()
    return net


def step(net, trainer, part):
    x = nd.array(part)
    x.attach_grad()
    with autograd.record():
        out = net(x)
        loss = (out ** 2).sum()
    loss.backward()
    trainer.step(COUNT)
    return out, x.grad


def same(one, other, what):
    error = np.abs(one.asnumpy() - other.asnumpy()).max()
    scale = max(1.0, float(np.abs(other.asnumpy()).max()))
    assert error <= 1e-6 * scale, (what, ranks, rank, error)


for hybrid in (False, True):
    nets = (network(f"synced{hybrid:d}_", lambda: SyncBatchNorm(kvstore=store), hybrid),
            network(f"alone{hybrid:d}_", nn.BatchNorm, hybrid))
    trainers = [gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9}, kvstore=kvstore)
                for net, kvstore in zip(nets, (store, None), strict=True)]
    for number in range(STEPS):
        out, grad = step(nets[0], trainers[0], data[own] + number)
        whole_out, whole_grad = step(nets[1], trainers[1], data + number)
        same(out, whole_out[own], f"output {number}")
        same(grad, whole_grad[own], f"gradient {number}")
    for one, other in zip(*(net.collect_params().values() for net in nets), strict=True):
        same(one.data(), other.data(), one.name)
    before = store._link._exchange if ranks > 1 else 0
    same(nets[0](nd.array(data)), nets[1](nd.array(data)), "inference")
    assert ranks == 1 or store._link._exchange == before
if rank == 0:
    print("done", flush=True)
