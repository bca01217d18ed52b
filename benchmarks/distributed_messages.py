"""The messages of a training step of several processes, counted; prints Markdown.

    python benchmarks/distributed_messages.py [--ranks 2 4 8] [--net lenet]

Headers are what processes send to agree on a call; sums are what they send to add up gradients, and the two flags and
the number of samples that go with these. A count does not depend on how many cores there are. The bytes of sums are
compared with those of a ring, 2 (N - 1) / N of the gradients.
"""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path

import distributed
import distributed_gluon

import minigluon as mx
from minigluon.kvstore import link
from minigluon.kvstore.notices import NOTICES

STEPS = 1, 2, 3, 4, 10
KINDS = "header", "sum", "notice"
counts = Counter()


class CountingComm:
    """A communicator of MPI that counts what it sends, in `counts`."""

    def __init__(self, comm):
        self.comm = comm

    def __getattr__(self, name):
        return getattr(self.comm, name)

    def Isend(self, content, dest, tag):
        buffer = content[0] if isinstance(content, list) else content
        kind = "notice" if tag == NOTICES else "sum" if tag >= link._VALUES else "header"
        counts[kind] += 1
        counts[f"{kind} bytes"] += buffer.nbytes
        return self.comm.Isend(content, dest=dest, tag=tag)


def measure(net):
    """Print a row for some of the steps of these processes."""
    plain = link.Link._open
    link.Link._open = lambda self, comm: plain(self, comm if isinstance(comm, CountingComm) else CountingComm(comm))
    store = mx.kv.create("dist_sync")
    step, size = distributed_gluon.step_of(net, store, "plan", warm=0)
    for number in range(1, max(STEPS) + 1):
        counts.clear()
        step()
        names = [name for kind in KINDS for name in (kind, f"{kind} bytes")]
        totals = dict(zip(names, store.sum_over_processes([counts[name] for name in names]), strict=True))
        ranks = store.num_workers
        ring = 2 * (ranks - 1) * size
        if store.rank == 0 and number in STEPS:
            print(f"| {ranks} | {number} | {totals['header']:.0f} | {totals['header bytes']:.0f} | "
                  f"{totals['sum']:.0f} | {totals['sum bytes'] / 1e6:.2f} | {totals['sum bytes'] / ring:.3f} |",
                  flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", nargs="+", type=int, default=[2, 4, 8])
    parser.add_argument("--net", default="lenet", choices=distributed_gluon.NETS)
    parser.add_argument("--worker", action="store_true", help="used by the script itself, which mpirun has started")
    args = parser.parse_args()
    if args.worker:
        measure(args.net)
        return
    print("| processes | step | messages of headers | bytes of headers | messages of sums | MB of sums | by a ring |\n"
          "|---|---|---|---|---|---|---|", flush=True)
    for ranks in args.ranks:
        subprocess.run([*distributed.mpirun("shared", ranks), sys.executable, str(Path(__file__).resolve()), "--worker",
                        "--net", args.net], env=distributed.environment_of(), check=True)


if __name__ == "__main__":
    main()
