"""The time of a training step of several processes, calculated and measured; prints Markdown.

    mpirun -n 2 python benchmarks/step_model.py                         # between these processes
    python benchmarks/step_model.py --ranks 2 4 --wires tcp 1gbit       # see distributed.py; 1gbit only as root
    python benchmarks/step_model.py --paper                             # only on paper, up to 1,024 processes

The model has five inputs: the bytes of the gradients, the number N of processes, the latency L and the bandwidth B
between them, and the processor time C for each byte. L comes from the time of an all-reduce of 4 bytes, B and C
from one of 16 MB:

    all-reduce = rounds * L + 2 (N - 1) / N * bytes / B
    step = forward + max(backward + bytes * C + tail, all-reduce)

Backward takes two thirds of the computation. A process with one core cannot compute while it sends and adds, hence C.
The tail is the part of the all-reduce that begins only when backward has ended: that of the last bucket. The
computation is that of as many processes that are not connected.
"""

import argparse
import statistics
import subprocess
import sys
import time
from pathlib import Path

import distributed
import distributed_gluon as nets

import minigluon as mx
from minigluon import nd
from minigluon.kvstore.buckets import BYTES, FIRST_BYTES

ROUNDS = 7
LARGE = 16 << 20
BACKWARD = 2 / 3
PAPER = {"1 Gbit/s": (50e-6, 125e6, 0), "10 Gbit/s": (50e-6, 1.25e9, 0), "100 Gbit/s": (5e-6, 12.5e9, 0)}    # L, B, C


def rounds(ranks):
    """Return the rounds of the all-reduce: `direct` has two, in which one process talks to all others."""
    return 2 * (ranks - 1)


def all_reduce_seconds(ranks, size, latency, bandwidth):
    return rounds(ranks) * latency + 2 * (ranks - 1) / ranks * size / bandwidth if ranks > 1 else 0.0


def step_seconds(compute, ranks, size, latency, bandwidth, processor):
    """Return the time of a step whose gradients are sent during backward."""
    wire = all_reduce_seconds(ranks, size, latency, bandwidth)
    last = size if size < FIRST_BYTES else min(BYTES, size - FIRST_BYTES) / 2
    tail = all_reduce_seconds(ranks, last, latency, bandwidth) if ranks > 1 else 0.0
    busy = processor * size if ranks > 1 else 0.0
    return (1 - BACKWARD) * compute + max(BACKWARD * compute + busy + tail, wire)


def median_seconds(store, action, clock=time.perf_counter):
    """Return the median time of an action that all processes take."""
    times = []
    for _ in range(ROUNDS):
        store.barrier()
        begin = clock()
        action()
        times.append(clock() - begin)
    return statistics.median(times)


def measure(label):
    """Print the table of these processes."""
    store = mx.kv.create("dist_sync")
    ranks, small, large = store.num_workers, nd.ones((1,)), nd.ones((LARGE // 4,))
    store.pushpull("small", small)
    store.pushpull("large", large)
    latency = median_seconds(store, lambda: store.pushpull("small", small)) / rounds(ranks)
    long = median_seconds(store, lambda: store.pushpull("large", large))
    processor = median_seconds(store, lambda: store.pushpull("large", large), time.process_time) / LARGE
    bandwidth = 2 * (ranks - 1) / ranks * LARGE / (long - rounds(ranks) * latency)
    if store.rank == 0:
        print(f"\n{label}, {ranks} processes: {1e6 * latency:.0f} µs, {8e-9 * bandwidth:.2f} Gbit/s, "
              f"{1e9 * processor:.1f} ms of CPU for 1 MB\n\n| net | MB | ms of computation | ms of the "
              "all-reduce | ms of a step, calculated | measured | calculated / measured |\n"
              "|---|---|---|---|---|---|---|", flush=True)
    for name in nets.NETS:
        alone, size = nets.step_of(name, None, "children")
        compute = median_seconds(store, alone)
        together, _ = nets.step_of(name, store, "children")
        measured = median_seconds(store, together)
        compute, measured = (total / ranks for total in store.sum_over_processes([compute, measured]))
        expected = step_seconds(compute, ranks, size, latency, bandwidth, processor)
        if store.rank == 0:
            wire = all_reduce_seconds(ranks, size, latency, bandwidth)
            print(f"| {name} | {size / 1e6:.1f} | {1e3 * compute:.1f} | {1e3 * wire:.1f} | {1e3 * expected:.1f} | "
                  f"{1e3 * measured:.1f} | {expected / measured:.2f} |", flush=True)


def paper():
    """Print the efficiency of up to 1,024 processes: ResNet-50, 102 MB of gradients, 160 ms of computation."""
    print("\n| processes | " + " | ".join(f"ms of a step, {name}" for name in PAPER) + " | "
          + " | ".join(f"efficiency, {name}" for name in PAPER) + " |\n|" + "---|" * (1 + 2 * len(PAPER)))
    for ranks in (1, 2, 4, 8, 16, 64, 256, 1024):
        steps = [step_seconds(0.16, ranks, 102.3e6, *wire) for wire in PAPER.values()]
        print(f"| {ranks:,} | " + " | ".join(f"{1e3 * seconds:,.0f}" for seconds in steps) + " | "
              + " | ".join(f"{0.16 / seconds:.0%}" for seconds in steps) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--wires", nargs="+", choices=["shared", "tcp", "1gbit"])
    parser.add_argument("--paper", action="store_true")
    parser.add_argument("--label", default="measured")
    args = parser.parse_args()
    for wire in args.wires or ():
        for ranks in args.ranks:
            if wire == "1gbit":
                distributed.namespaces(ranks, "del", "1gbit")
                distributed.namespaces(ranks, "add", "1gbit")
            subprocess.run([*distributed.mpirun(wire, ranks), sys.executable, str(Path(__file__).resolve()), "--label",
                            wire], env=distributed.environment_of(), check=True)
            if wire == "1gbit":
                distributed.namespaces(ranks, "del", "1gbit")
    if args.paper:
        paper()
    elif not args.wires:
        measure(args.label)


if __name__ == "__main__":
    main()
