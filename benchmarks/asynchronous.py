"""LeNet on a fifth of MNIST with 'dist_async' and 'dist_sync', and the staleness of the gradients; prints Markdown.

    mpirun -n 4 python benchmarks/asynchronous.py [--epochs 3] [--slow 0]

Each process trains on its share of the 12,000 images that the package contains, in batches of 32. Asynchronous steps
use a quarter of the learning rate, because each of them takes the gradient of one process. `--slow MS` lets process 0
sleep in each step, like a machine with other work. A gradient's staleness is the number of steps that its weight has
taken since the process has pulled it; the table has the mean, the maximum, and the bound of `limit_staleness`.
"""

import argparse
import time
from collections import Counter

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.tools.cli.data import load

BATCH = 32
STORES = {"dist_sync": ("dist_sync", None), "dist_async": ("dist_async", None),
          "dist_async, limit 4": ("dist_async", 4), "dist_async, limit 0": ("dist_async", 0)}


def lenet():
    nn = gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="relu"), nn.MaxPool2D(2), nn.Conv2D(50, 5, activation="relu"), nn.MaxPool2D(2),
            nn.Flatten(), nn.Dense(128, activation="relu"), nn.Dense(10))
    return net


def run(name, limit, images, epochs, sleep):
    """Return (accuracy on the test images, seconds of the training, Counter of staleness)."""
    store = mx.kv.create(name)
    rank, ranks = store.rank, store.num_workers
    synchronous = name == "dist_sync"
    mx.random.seed(1)
    net = lenet()
    net.initialize(mx.init.Xavier())
    net.hybridize()
    if limit is not None:
        store.limit_staleness(limit)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1 if synchronous else 0.1 / ranks,
                                                          "momentum": 0.5}, kvstore=store)
    loss_fn = gluon.loss.SoftmaxCrossEntropyLoss()
    data = gluon.data.ArrayDataset(images.x_train[rank::ranks], images.y_train[rank::ranks])
    batches = gluon.data.DataLoader(data, BATCH, shuffle=True, last_batch="discard")
    store.barrier()
    begin = time.perf_counter()
    for _ in range(epochs):
        for x, y in batches:
            with autograd.record():
                loss = loss_fn(net(x), y)
            loss.backward()
            trainer.step(BATCH * ranks if synchronous else BATCH)
            time.sleep(sleep if rank == 0 else 0)
    own = time.perf_counter() - begin
    store.barrier()
    right = (net(nd.array(images.x_test)).asnumpy().argmax(axis=1) == images.y_test).mean()
    seconds = [own if number == rank else 0 for number in range(ranks)]
    counts = store.staleness()
    last = 8 * ranks * ranks
    sums = store.sum_over_processes([*seconds, *(counts.get(number, 0) for number in range(last))])
    return right, sums[:ranks], Counter({number: int(n) for number, n in enumerate(sums[ranks:]) if n})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--slow", type=float, default=0, help="milliseconds")
    parser.add_argument("--stores", nargs="+", default=list(STORES), choices=list(STORES))
    args = parser.parse_args()
    probe = mx.kv.create("dist_sync")
    ranks, images = probe.num_workers, load("mnist-part")
    if probe.rank == 0:
        print(f"{ranks} processes, {args.epochs} epochs, process 0 sleeps {args.slow:g} ms in each step\n\n| store | "
              "test accuracy | seconds of process 0 | of the others | mean staleness | maximum | bound |\n"
              "|---|---|---|---|---|---|---|", flush=True)
    for label in args.stores:
        name, limit = STORES[label]
        right, seconds, stale = run(name, limit, images, args.epochs, args.slow / 1e3)
        if probe.rank == 0:
            total = sum(stale.values())
            mean = f"{sum(number * count for number, count in stale.items()) / total:.1f}" if total else ""
            bound = "" if limit is None else (ranks - 1) * (2 * limit + 1)
            print(f"| {label} | {right:.1%} | {seconds[0]:.1f} | {max(seconds[1:], default=0):.1f} | {mean} | "
                  f"{max(stale, default='')} | {bound} |", flush=True)


if __name__ == "__main__":
    main()
