"""The cost of a call that computes next to nothing: operators on 4 x 4 arrays, imperatively, here and in PyTorch.

    MINIGLUON_TORCH_PYTHON=... python benchmarks/small_calls.py [--rounds 15]

Both libraries run on one thread, in turns, one call at a time. Prints Markdown: medians, and the median over the rounds
of the ratio, the largest first.
"""

import argparse
import datetime
import os
import statistics
import subprocess
import sys
import timeit

SECONDS = 0.01          # approximate length of a round of one call
SETUP = {
    "minigluon": "import minigluon as mx; from minigluon import nd; from minigluon.autograd import record\n"
                 "x, y, z, w = (nd.ones((4, 4)) for _ in range(4)); w.attach_grad()",
    "torch": "import torch; torch.set_num_threads(1)\n"
             "x, y, z, w = (torch.ones(4, 4) for _ in range(4)); w.requires_grad_()",
}

# name: (in minigluon, in PyTorch)
CALLS = {
    "x + y": ("x + y", "x + y"),
    "x + 1": ("x + 1", "x + 1"),
    "x += y": ("z += y", "z += y"),
    "x *= 1": ("z *= 1.0", "z *= 1.0"),
    "x == y": ("x == y", "x == y"),
    "zeros": ("nd.zeros((4, 4))", "torch.zeros((4, 4))"),
    "ones": ("nd.ones((4, 4))", "torch.ones((4, 4))"),
    "full": ("nd.full((4, 4), 2.5)", "torch.full((4, 4), 2.5)"),
    "zeros_like": ("nd.zeros_like(x)", "torch.zeros_like(x)"),
    "arange": ("nd.arange(16)", "torch.arange(16)"),
    "array of a list": ("nd.array([[1, 2], [3, 4]])", "torch.tensor([[1, 2], [3, 4]])"),
    "normal": ("nd.random.normal(shape=(4, 4))", "torch.randn((4, 4))"),
    "uniform": ("nd.random.uniform(shape=(4, 4))", "torch.rand((4, 4))"),
    "randint": ("nd.random.randint(0, 5, shape=(4, 4))", "torch.randint(0, 5, (4, 4))"),
    "copy": ("x.copy()", "x.clone()"),
    "expand_dims": ("x.expand_dims(0)", "x.unsqueeze(0)"),
    "reshape": ("x.reshape((2, 8))", "x.reshape((2, 8))"),
    "transpose": ("x.T", "x.T"),
    "x[1]": ("x[1]", "x[1]"),
    "x[:, 1:3]": ("x[:, 1:3]", "x[:, 1:3]"),
    "x[1] = 2": ("x[1] = 2.0", "x[1] = 2.0"),
    "astype": ("x.astype('float64')", "x.to(torch.float64)"),
    "asnumpy": ("x.asnumpy()", "x.numpy().copy()"),
    "a number": ("x.sum().asscalar()", "x.sum().item()"),
    "detach": ("x.detach()", "x.detach()"),
    "dot": ("nd.dot(x, y)", "x @ y"),
    "sum": ("x.sum()", "x.sum()"),
    "mean of an axis": ("x.mean(axis=0)", "x.mean(dim=0)"),
    "argmax": ("x.argmax(axis=1)", "x.argmax(dim=1)"),
    "relu": ("nd.relu(x)", "torch.relu(x)"),
    "exp": ("nd.exp(x)", "torch.exp(x)"),
    "softmax": ("nd.softmax(x)", "torch.softmax(x, -1)"),
    "clip": ("nd.clip(x, 0, 1)", "torch.clip(x, 0, 1)"),
    "where": ("nd.where(x, x, y)", "torch.where(x > 0, x, y)"),
    "norm": ("nd.norm(x)", "torch.norm(x)"),
    "concat": ("nd.concat(x, y, dim=0)", "torch.cat([x, y], 0)"),
    "stack": ("nd.stack(x, y)", "torch.stack([x, y])"),
    "split": ("nd.split(x, 2, axis=0)", "torch.split(x, 2)"),
    "w * x, recorded": ("with record():\n    w * x", "w * x"),
    "ten lines, recorded": ("with record():\n    a = w * x" + "\n    a = a + x\n    a = a * x\n    a = nd.relu(a)" * 3,
                            "a = w * x" + "\na = a + x\na = a * x\na = torch.relu(a)" * 3),
    "w * x and backward": ("with record():\n    a = w * x\na.backward(y)",
                           "w.grad = None\na = w * x\na.backward(y)"),
}


def serve(library):
    """Answer each name of a call with its seconds."""
    names, which = {}, list(SETUP).index(library)
    exec(SETUP[library], names)
    for line in sys.stdin:
        timer = timeit.Timer(CALLS[line.rstrip("\n")][which], "global z", globals=names)
        number = max(1, round(SECONDS * 100 / max(timer.timeit(100), 1e-9)))
        print(timer.timeit(number) / number, flush=True)


class Worker:
    """A process that serves one library."""

    def __init__(self, library, python):
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
        self.process = subprocess.Popen([python, __file__, "--serve", library], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**os.environ, **one})

    def seconds(self, name):
        print(name, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{name}: {' '.join(self.process.args)} has ended; see its output above")
        return float(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--serve", choices=list(SETUP), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        serve(options.serve)
        return
    python = os.environ.get("MINIGLUON_TORCH_PYTHON")
    if not python:
        parser.error("MINIGLUON_TORCH_PYTHON does not name a Python with PyTorch")
    from minigluon.common import hardware as machine
    workers = [Worker("minigluon", sys.executable), Worker("torch", python)]
    times = {name: [] for name in CALLS}
    for _ in range(options.rounds):
        for name, rows in times.items():
            rows.append([worker.seconds(name) for worker in workers])
    rows = [(statistics.median([ours / theirs for ours, theirs in each]), name,
             *[statistics.median(column) * 1e6 for column in zip(*each, strict=True)]) for name, each in times.items()]
    print(f"{datetime.date.today()}, {machine.processor()}, {machine.cores()} cores, one thread; medians of "
          f"{options.rounds} rounds; geometric mean of the ratios "
          f"{statistics.geometric_mean([ratio for ratio, *_ in rows]):.2f}\n")
    print("| call | minigluon | PyTorch | ratio |\n|---|---|---|---|")
    for ratio, name, ours, theirs in sorted(rows, reverse=True):
        print(f"| `{name}` | {ours:.2f} µs | {theirs:.2f} µs | {ratio:.2f} |")


if __name__ == "__main__":
    main()
