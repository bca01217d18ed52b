"""Memory of each process with whole and with sharded optimizer states, and bytes that row_sparse gradients send.

    python benchmarks/sharded_states.py [--ranks 1 2 4]

A perceptron with 25 MB of weights takes three steps of Adam. "states" are the bytes of the optimizer's arrays, "peak"
is the peak of resident memory above that of a process that has imported the package. Then an Embedding of 50,000 words
of 128 numbers takes three steps with 256 words in each process; "sent" are the bytes that process 0 sends in the last
one.
"""

import argparse
import os
import resource
import subprocess
import sys

import numpy as np

import minigluon as mx
from minigluon import autograd, gluon, nd


def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def arrays_of(state):
    return [x for part in state for x in arrays_of(part)] if isinstance(state, (list, tuple)) else [state]


def train(net, x, sharded=False):
    store = mx.kv.create("dist_sync")
    if sharded:
        store.shard_optimizer_states()
    trainer = gluon.Trainer(net.collect_params(), "adam", kvstore=store)
    for _ in range(3):
        with autograd.record():
            loss = (net(x) ** 2).mean()
        loss.backward()
        trainer.step(1)
    return trainer


def memory(sharded):
    """Print the bytes of the states and the peak of each process."""
    before = peak()
    net = gluon.nn.HybridSequential()
    net.add(*[gluon.nn.Dense(1024, "relu", in_units=1024) for _ in range(6)])
    net.initialize()
    trainer = train(net, nd.ones((4, 1024)), sharded)
    states = sum(x.asnumpy().nbytes for state in trainer._updaters[0].states.values() for x in arrays_of(state))
    rank, ranks = trainer._kvstore.rank, trainer._kvstore.num_workers
    rows = np.zeros((ranks, 2))
    rows[rank] = states, peak() - before
    rows = np.array(trainer._kvstore.sum_over_processes(rows.reshape(-1).tolist())).reshape(ranks, 2) / 1e6
    if rank == 0:
        print(f"{ranks} processes, {'sharded' if sharded else 'whole'} states: states "
              f"{', '.join(f'{x:.1f}' for x in rows[:, 0])} MB; peak {', '.join(f'{x:.0f}' for x in rows[:, 1])} MB")


def words(sparse):
    """Print the bytes that process 0 sends in a step."""
    store = mx.kv.create("dist_sync")
    if store.num_workers == 1:
        return
    store.barrier()
    link, sent = store._link, []

    class Counting(type(link.comm)):
        def Isend(self, buf, dest, tag=0):
            sent.append(buf.nbytes if isinstance(buf, np.ndarray) else buf[0].nbytes)
            return super().Isend(buf, dest=dest, tag=tag)

    link.comm = Counting(link.comm)
    net = gluon.nn.Embedding(50_000, 128, sparse_grad=sparse)
    net.initialize()
    x = nd.array(np.random.default_rng(store.rank).integers(0, 50_000, 256))
    trainer = train(net, x)
    del sent[:]
    with autograd.record():
        loss = (net(x) ** 2).mean()
    loss.backward()
    trainer.step(1)
    store.barrier()
    if store.rank == 0:
        print(f"{store.num_workers} processes, {'row_sparse' if sparse else 'dense'} gradient of the Embedding: sent "
              f"{sum(sent) / 1e6:.3f} MB")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--ranks", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--part", choices=["whole", "sharded", "sparse", "dense"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.part is not None:
        words(args.part == "sparse") if args.part in ("sparse", "dense") else memory(args.part == "sharded")
        return
    for ranks in args.ranks:
        for part in ("whole", "sharded", "sparse", "dense"):
            command = [sys.executable, "-m", "minigluon", "launch", "-n", str(ranks), "--threads", "1", __file__,
                       "--part", part]
            subprocess.run(command, check=True, env=os.environ, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
