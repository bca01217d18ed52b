"""Data parallelism in several processes, connected by MPI:

    mpirun -n 2 python docs/programs/data_parallel_mpi.py

Each process has its share of the images and of every batch. All start with the values of process 0, and in each step
the gradients are summed over all processes, so the parameters stay identical. It also runs without mpirun, as a
single-process job,
and prints the same losses.
"""

import sys

from sklearn.datasets import load_digits

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.gluon import nn

BATCH = 60          # over all processes


def main(small):
    store = mx.kv.create("dist_sync")
    rank, workers = store.rank, store.num_workers
    if BATCH % workers:
        raise SystemExit(f"a batch of {BATCH} cannot be divided among {workers} processes")
    mx.random.seed(1 + rank)            # the numbers differ between processes; those of process 0 are used
    digits = load_digits()
    images, labels = digits.data.astype("float32") / 16, digits.target.astype("float32")
    steps = len(images) // BATCH
    # Sample i goes to process i % workers, so that all processes' batches together equal those of a single process.
    mine = slice(rank, steps * BATCH, workers)
    data = gluon.data.DataLoader(gluon.data.ArrayDataset(images[mine], labels[mine]), BATCH // workers)

    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(64, activation="tanh"), nn.Dense(10))
    net.initialize(mx.init.Xavier())
    net.hybridize()
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.01}, kvstore=store)
    for epoch in range(3 if small else 20):
        total = nd.zeros((1,))
        for x, y in data:
            with autograd.record():
                value = loss(net(x), y)
            value.backward()
            trainer.step(BATCH)         # the divisor of the summed gradients
            total += value.sum()
        store.pushpull(-1, total)       # the sum over all processes
        if rank == 0:
            print(f"epoch {epoch + 1}: loss {total.asscalar() / (steps * BATCH):.5f}", flush=True)

    right = (net(nd.array(images)).asnumpy().argmax(axis=1) == labels).mean()
    if rank == 0:
        print(f"{workers} process(es): {right:.1%} of the images are read right")
    assert right > (0.9 if small else 0.97)


if __name__ == "__main__":
    main(small="--small" in sys.argv)
