"""What test_mpi_eight.py starts: `mpirun -n 8 python tests/kvstore/mpi_eight.py`. Each process has one sample."""

import numpy as np

import minigluon as mx
from minigluon import gluon, nd

STEPS = 5
store = mx.kv.create("dist_sync")
rank, ranks = store.rank, store.num_workers
x = nd.array(np.random.default_rng(0).normal(size=(STEPS, ranks, 4)))


def trained(prefix, kvstore, mine):
    net, loss = gluon.nn.Dense(3, in_units=4, prefix=prefix), gluon.loss.L2Loss()
    net.initialize(mx.init.One())
    net.hybridize()
    loss.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9}, kvstore=kvstore)
    step = gluon.TrainStep(net, loss, trainer)
    for batch in x:
        step(batch[mine], nd.zeros((len(batch[mine]), 3)))
        assert step.reason is None, step.reason
    return net.weight.data().asnumpy()


weight = trained("all_", store, slice(rank, rank + 1))
assert abs(weight - trained("one_", None, slice(None))).max() < 1e-5
long = nd.ones((100_003,)) * 2 ** rank              # by messages that are as long as the method needs
store.pushpull("long", long)
assert (long.asnumpy() == 2 ** ranks - 1).all()
agreed, = store.sum_over_processes([weight.sum()])
assert abs(agreed / ranks - weight.sum()) < 1e-5
store.barrier()
if rank == 0:
    print(f"{ranks} agree", flush=True)
