"""Compare a transformer encoder, fused and not, with PyTorch and onnxruntime, in turns: time, and memory.

    python benchmarks/attention.py [--torch-python ENV/bin/python] [--engines-python ENV/bin/python]
        [--programs forward-8x128 step-1x512 ...] [--heads 4] [--dropout 0.1] [--rounds 7] [--threads 2] [--memory]

Six layers of 256 units (attention, LayerNorm of the sum, 1024 units with GELU, LayerNorm of the sum) in float32. A
program is named by its kind, its batch and its length. Each library is a process of this file under its own Python; the
processes take turns, and the medians of the rounds are printed. --memory instead prints the peak growth of a separate
process: in three calls, compared with the built net. --dropout: the share of the attention weights that training steps
drop.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

LAYERS, UNITS, HIDDEN = 6, 256, 1024
PROGRAMS = [f"{what}-{batch}x{length}" for what in ("forward", "step") for length in (128, 512) for batch in (1, 8)]
CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}
OURS, THEIRS, ENGINES = ["fused", "unfused"], ["torch", "torch-compiled"], ["onnxruntime"]


# -- in the process of a library: build(library, args) -> (what, batch, length) -> a function to time ----------------

def minigluon_programs(library, args):
    import numpy as np
    from minigluon_accel.backend import AccelBackend

    import minigluon as mx
    from minigluon import autograd, gluon, nd
    from minigluon.gluon import nn
    from minigluon_accel import engine

    engine.set_threads(args.threads)
    if library == "unfused":
        AccelBackend.passes_before_gradients = []

    class Layer(gluon.HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.query, self.key, self.value, self.out = (
                    nn.Dense(UNITS, flatten=False, in_units=UNITS) for _ in range(4))
                self.wide = nn.Dense(HIDDEN, flatten=False, in_units=UNITS)
                self.narrow = nn.Dense(UNITS, flatten=False, in_units=HIDDEN)
                self.gelu, self.norm, self.norm2 = nn.GELU(), nn.LayerNorm(), nn.LayerNorm()

        def hybrid_forward(self, F, x):
            def split(y):
                return F.reshape(F.transpose(F.reshape(y, (0, 0, args.heads, -1)), (0, 2, 1, 3)), (-3, 0, 0))
            scores = F.batch_dot(split(self.query(x)), split(self.key(x)), transpose_b=True)
            scores = scores / (UNITS // args.heads) ** 0.5
            weights = F.Dropout(F.softmax(scores, axis=-1), p=args.dropout)
            mixed = F.batch_dot(weights, split(self.value(x)))
            mixed = F.reshape(F.transpose(F.reshape(mixed, (-4, -1, args.heads, 0, 0)), (0, 2, 1, 3)), (0, 0, -3))
            x = self.norm(x + self.out(mixed))
            return self.norm2(x + self.narrow(self.gelu(self.wide(x))))

    net = nn.HybridSequential()
    for _ in range(LAYERS):
        net.add(Layer())
    net.initialize(mx.init.Xavier())
    net.hybridize(static_alloc=True, static_shape=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1e-4})

    def program(what, batch, length):
        x = nd.array(np.random.default_rng(0).normal(size=(batch, length, UNITS)))

        def forward():
            net(x).wait_to_read()

        def step():
            with autograd.record():
                loss = (net(x) ** 2).mean()
            loss.backward()
            trainer.step(1)
        return forward if what == "forward" else step
    return program


def torch_net(args):
    import torch
    from torch import nn
    from torch.nn import functional

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.query, self.key, self.value, self.out = (nn.Linear(UNITS, UNITS) for _ in range(4))
            self.wide, self.narrow = nn.Linear(UNITS, HIDDEN), nn.Linear(HIDDEN, UNITS)
            self.norm, self.norm2 = nn.LayerNorm(UNITS), nn.LayerNorm(UNITS)

        def forward(self, x):
            batch, length, _ = x.shape
            q, k, v = (f(x).view(batch, length, args.heads, -1).transpose(1, 2)
                       for f in (self.query, self.key, self.value))
            mixed = functional.scaled_dot_product_attention(q, k, v, dropout_p=args.dropout * self.training)
            x = self.norm(x + self.out(mixed.transpose(1, 2).reshape(batch, length, UNITS)))
            return self.norm2(x + self.narrow(functional.gelu(self.wide(x))))
    torch.manual_seed(0)
    return nn.Sequential(*[Layer() for _ in range(LAYERS)])


def torch_programs(library, args):
    import torch

    torch.set_num_threads(args.threads)
    net = torch_net(args)
    optimizer = torch.optim.SGD(net.parameters(), 1e-4)
    called = torch.compile(net) if library == "torch-compiled" else net

    def program(what, batch, length):
        x = torch.randn(batch, length, UNITS)

        def forward():
            with torch.inference_mode():
                called(x)

        def step():
            optimizer.zero_grad()
            (called(x) ** 2).mean().backward()
            optimizer.step()
        return forward if what == "forward" else step
    return program


def onnxruntime_programs(library, args):
    import tempfile

    import numpy as np
    import onnxruntime
    import torch

    net = torch_net(args).eval()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = args.threads

    def program(what, batch, length):
        if what != "forward":
            raise NotImplementedError
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "net.onnx")
            torch.onnx.export(net, (torch.randn(batch, length, UNITS),), path, input_names=["x"], dynamo=False)
            session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        x = np.random.default_rng(0).normal(size=(batch, length, UNITS)).astype("float32")
        return lambda: session.run(None, {"x": x})
    return program


def serve(library, args):
    """Answer lines [kind, program, seconds], kind memory, wall or cpu (a clock), with one number each."""
    answers, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr         # other output goes elsewhere
    os.dup2(2, 1)
    build = {**dict.fromkeys(OURS, minigluon_programs), **dict.fromkeys(THEIRS, torch_programs),
             **dict.fromkeys(ENGINES, onnxruntime_programs)}
    program, known = build[library](library, args), {}
    for line in sys.stdin:
        kind, name, seconds = json.loads(line)
        try:
            if name not in known:
                what, _, size = name.partition("-")
                known[name] = program(what, *map(int, size.split("x")))
            run = known[name]
            answer = grown(run) if kind == "memory" else timed(run, seconds, CLOCKS[kind])
        except NotImplementedError:
            answer = None
        print(json.dumps(answer), file=answers, flush=True)


def timed(run, seconds, clock):
    """Return the median time of calls, after one that does not count."""
    run()
    times, end = [], time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = clock()
        run()
        times.append(clock() - start)
    return statistics.median(times)


def grown(run):
    """Return the peak growth of this process in three calls, in MiB."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    for _ in range(3):
        run()
    return (status("VmHWM") - before) / 1024


def status(name):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))


# -- the main process -------------------------------------------------------------------------------------------------

class Worker:
    def __init__(self, library, python, args):
        environment = {**os.environ, "OMP_NUM_THREADS": str(args.threads)}
        if library not in OURS:
            environment.pop("PYTHONPATH", None)
        self.process = subprocess.Popen(
            [python, os.path.abspath(__file__), "--serve", library, "--heads", str(args.heads), "--threads",
             str(args.threads), "--dropout", str(args.dropout)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment)

    def ask(self, *question):
        print(json.dumps(question), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"{self.process.args} ended with {self.process.wait()}")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--torch-python")
    parser.add_argument("--engines-python")
    parser.add_argument("--programs", nargs="*", default=PROGRAMS)
    parser.add_argument("--libraries", nargs="*", default=[*OURS, *THEIRS, *ENGINES])
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.2, help="length of a round for each program and library")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                        help="cpu: for one thread, on a busy machine")
    parser.add_argument("--memory", action="store_true")
    parser.add_argument("--serve", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        serve(args.serve, args)
        return
    pythons = {**dict.fromkeys(OURS, sys.executable), **dict.fromkeys(THEIRS, args.torch_python),
               **dict.fromkeys(ENGINES, args.engines_python)}
    pythons = {library: python for library, python in pythons.items()
               if python and library in args.libraries}
    rows = memory(pythons, args) if args.memory else times(pythons, args)
    print("| program | " + " | ".join(pythons) + " |\n|" + "---|" * (1 + len(pythons)), flush=True)
    for program, values in rows:
        print(f"| {program} | " + " | ".join("" if v is None else f"{v:.4g}" for v in values) + " |", flush=True)


def times(pythons, args):
    """Return medians in milliseconds."""
    workers = {library: Worker(library, python, args) for library, python in pythons.items()}
    for program in args.programs:
        for worker in workers.values():
            worker.ask(args.clock, program, 0)          # built and warm
    for program in args.programs:
        found = [[worker.ask(args.clock, program, args.seconds) for worker in workers.values()]
                 for _ in range(args.rounds)]
        yield program, [None if None in column else statistics.median(column) * 1e3
                        for column in zip(*found, strict=True)]
    for worker in workers.values():
        worker.close()


def memory(pythons, args):
    """Return the peak growth in MiB."""
    for program in args.programs:
        found = []
        for library, python in pythons.items():
            worker = Worker(library, python, args)
            found.append(worker.ask("memory", program, 0))
            worker.close()
        yield program, found


if __name__ == "__main__":
    main()
