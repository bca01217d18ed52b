"""Predictions of one hybridized net by several threads: how many per second, and how the threads slow each other down.

    python benchmarks/threads.py                    # 1, 2 and 24 threads in turn, for ten rounds
    python benchmarks/threads.py --workers 1        # a kernel does not divide its work among threads

In a round, each number of threads predicts for a short while, one after another, so that other programs on the machine
affect all equally. The table has medians of the rounds. If other programs run, two threads do not get two cores: the
row of checksums, which do not need Python while they compute, shows what was possible, and the last columns show how
many cores the threads worked on, and how much they did in a second of processor time.
"""

import argparse
import hashlib
import os
import statistics
import threading
import time

import minigluon as mx
from minigluon import nd
from minigluon.backend import backend_for
from minigluon.gluon import nn

COUNTS = 1, 2, 24
DATA = bytes(2_000_000)


def lenet():
    net = nn.HybridSequential()
    net.add(nn.Conv2D(20, 5, activation="tanh"), nn.MaxPool2D(2, 2), nn.Conv2D(50, 5, activation="tanh"),
            nn.MaxPool2D(2, 2), nn.Dense(500, activation="tanh"), nn.Dense(10))
    return net, (64, 1, 28, 28)


def mlp():
    net = nn.HybridSequential()
    net.add(nn.Dense(512, activation="relu"), nn.Dense(512, activation="relu"), nn.Dense(10))
    return net, (64, 784)


def checksum():
    hashlib.sha256(DATA).digest()


def predictions(predict, threads, seconds):
    """Return (predictions of the threads per second, number of cores they work on)."""
    made, start, end = [0] * threads, threading.Barrier(threads + 1), []

    def body(number):
        count = 0
        start.wait()
        while not end:
            predict()
            count += 1
        made[number] = count

    running = [threading.Thread(target=body, args=(number,)) for number in range(threads)]
    for thread in running:
        thread.start()
    start.wait()
    began, processor = time.perf_counter(), time.process_time()
    time.sleep(seconds)
    end.append(True)
    for thread in running:
        thread.join()
    took = time.perf_counter() - began
    return sum(made) / took, (time.process_time() - processor) / took


def row(name, predict, rounds, seconds):
    """Return a row of the table."""
    predict()
    found = [[predictions(predict, n, seconds) for n in COUNTS] for _ in range(rounds)]
    rates, cores = ([statistics.median(r[n][i] for r in found) for n in range(len(COUNTS))] for i in (0, 1))
    ratios = [statistics.median(r[n][0] / r[0][0] for r in found) for n in (1, 2)]
    cells = [*[f"{rate:,.0f}" for rate in rates], *[f"{ratio:.2f}" for ratio in ratios],
             " / ".join(f"{count:.2f}" for count in cores),
             " / ".join(f"{rate / max(count, 0.01):,.0f}" for rate, count in zip(rates, cores, strict=True))]
    return f"| {name} | {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--workers", type=int, help="threads that work on one kernel (default: the plugin's)")
    options = parser.parse_args()
    name = backend_for(mx.cpu()).name
    if options.workers is not None:
        from minigluon_accel import engine
        engine.set_threads(options.workers)
        name += f", {engine.threads()} threads for a kernel"
    print(f"minigluon {mx.__version__} on {name}; {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    rates = " | ".join(f"{n} threads, a second" for n in COUNTS)
    print(f"\n| batch 64 | {rates} | 2 to 1 | 24 to 1 | cores worked on | a second of processor time |")
    print("|---|" + "---|" * (len(COUNTS) + 4))
    print(row("checksum of 2 MB", checksum, options.rounds, options.seconds))
    for make in lenet, mlp:
        net, shape = make()
        net.initialize()
        net.hybridize()
        x = nd.ones(shape)
        print(row(make.__name__, lambda net=net, x=x: net(x).wait_to_read(), options.rounds, options.seconds))
    print(f"\nload {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
