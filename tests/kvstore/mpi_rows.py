"""What test_mpi_rows.py starts: `mpirun -n N python tests/kvstore/mpi_rows.py`.

Embeddings with row_sparse gradients train on shares of a batch, and are compared with one process. Process 0 prints how
many bytes it sends in a step, with row_sparse and with dense gradients.
"""

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.kvstore.job import require_mpi

WORDS, SIZE, STEPS = 500, 8, 3
store = mx.kv.create("dist_sync")
rank, ranks, link = store.rank, store.num_workers, store._link
words = np.random.default_rng(0).integers(0, WORDS, (8, 6))


class Counting(require_mpi().Intracomm):
    """A communicator that counts what it sends."""

    sent = 0

    def Isend(self, buf, dest, tag=0):
        Counting.sent += buf.nbytes if isinstance(buf, np.ndarray) else buf[0].nbytes
        return super().Isend(buf, dest=dest, tag=tag)


def network(prefix, sparse):
    mx.random.seed(1)
    net = gluon.nn.HybridSequential(prefix=prefix)
    with net.name_scope():
        net.add(gluon.nn.Embedding(WORDS, SIZE, sparse_grad=sparse), gluon.nn.Dense(2, in_units=6 * SIZE))
    net.initialize(mx.init.Normal(1))
    return net


def train(net, kvstore, own, optimizer="adam", batches=None):
    trainer = gluon.Trainer(net.collect_params(), optimizer, {"learning_rate": 0.01}, kvstore=kvstore)
    for number in range(STEPS):
        Counting.sent = 0
        with autograd.record():
            loss = (net(nd.array((batches if batches is not None else words[own]) + number)) ** 2).sum()
        loss.backward()
        trainer.step(8)
    return Counting.sent, [param.data().asnumpy() for param in net.collect_params().values()]


def same(ones, others):
    assert max(np.abs(one - other).max() for one, other in zip(ones, others, strict=True)) < 1e-6


words = words % (WORDS - STEPS)
own = slice(rank, None, ranks)
store.barrier()
if ranks > 1:
    link.comm = Counting(link.comm)
bytes_sent = {}
for sparse in (True, False):
    bytes_sent[sparse], weights = train(network(f"shared{sparse:d}_", sparse), store, own)
    same(weights, train(network(f"alone{sparse:d}_", sparse), None, slice(None))[1])
if rank == 0:
    print(f"{bytes_sent[True]} bytes with rows, {bytes_sent[False]} without", flush=True)

# Pushes of rows: none on process 0, many rows, another dtype
for rows in ([] if rank == 0 else [1, 4], list(range(6)), [rank]):
    for dtype in ("float32", "float16", "float64"):
        x = nd.zeros((6, 2), dtype=dtype)
        if rows:
            x[nd.array(rows, dtype="int64")] = rank + 1
        expected = x.copy()
        store.pushpull("dense", expected)
        sparse = x.tostype("row_sparse")
        store.pushpull("rows", sparse)
        assert sparse.stype == "row_sparse"
        assert (sparse.tostype("default") == expected).asnumpy().all(), (rows, dtype, sparse)
only = gluon.nn.Embedding(WORDS, SIZE, sparse_grad=True, prefix="only_")
only.initialize()
train(only, store, own)
