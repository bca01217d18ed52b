"""How close each kernel of the nets comes to the limits of this machine, as Markdown.

    python benchmarks/kernel_limits.py [--nets lenet resnet50 ...] [--rounds 20] [--all]

The limits are measured in the same run: the rate of large matrix products in float32 (the best of NumPy's BLAS, with
kernels for several processors, and minigluon itself), and the rate of copies of many sizes, of all cores together. A
kernel cannot be faster than its multiplications and additions at the first rate, or than moving its inputs and outputs
at the second rate, where small arrays come from a cache; the percentage is the larger of these two times divided by the
kernel's time. Convolutions count by their definition; Winograd's algorithm needs fewer multiplications, so it may
exceed 100 %. The time is the shortest of several rounds, step by step, in which the steps of a plan run in sequence.
"""

import argparse
import math
import os
import subprocess
import sys
import threading
import time

import numpy as np

import minigluon as mx
from minigluon.common import hardware as machine
from minigluon.tools.bench.nets import SIZES
from minigluon.tools.bench.table import bytes_text, time_text
from minigluon.tools.bench.workers import programs_gluon

NETS = {"mlp": "mlp forward", "lenet": "lenet train step", "lenet256": "lenet256 train step",
        "alexnet": "alexnet train step", "resnet": "resnet train step"}
FORWARD = {net: f"{net} batch 1 forward" for net in ("resnet50", "mobilenetv2", "vit-tiny", "bert-mini", "ds-cnn")}
CORE_TYPES = [None, "Haswell", "SkylakeX", "Zen"]           # None: OpenBLAS's own choice
NOTHING = mx.backend.Spec((), np.dtype("float32"))          # for a stand-in, which nobody reads
COPIES = [2 ** n for n in range(12, 29, 2)]                 # bytes read

# Reasons for less than half of the limit, the first match counts: (end of operator's name, test of its work, reason)
WHY = [
    ("", lambda w: w.seconds < 4e-6, "takes as long as calling it and reading the clock"),
    ("", lambda w: w.seconds < 30e-6 and w.least < 10e-6, "too little to share: one thread works, or both wait for "
                                                          "each other for a large part of the time"),
    ("Convolution", lambda w: w.depth < 64, "few products for each number of the result ({depth}), so loads and "
                                            "stores cost more than they"),
    ("_conv_pool", lambda w: w.depth < 64, "few products for each number ({depth}), and their pooling is in here, too"),
    ("conv_relu", lambda w: w.depth < 64, "few products for each number of the result ({depth})"),
    ("conv_weight_grad", lambda w: w.depth < 64, "a small result is summed over all pixels; {depth} rows fill the "
                                                  "registers badly"),
    ("conv_data_grad", lambda w: w.seconds < 1e-3, "borders, and packing of both sides, are a large part of so small "
                                                    "a product"),
    ("", lambda w: w.flops and w.by_bytes > 0.2 * w.by_flops, "few rows: weights come from memory, each for few "
                                                              "products, and are packed on the way"),
    ("max_pooling_argmax", lambda w: True, "compares instead of copying: several comparisons for a number read"),
    ("max_pooling_argmax_grad", lambda w: True, "bytes say where a number goes: spreading them over vectors takes "
                                                 "longer than the store"),
    ("Pooling", lambda w: True, "windows overlap: each number is compared several times"),
    ("pooling_grad", lambda w: True, "windows overlap: each number is compared and added several times"),
    ("BatchNorm", lambda w: True, "mean, then variance, then the result: three passes over the data"),
    ("batch_norm_grad", lambda w: True, "two sums, then the result: two passes over two arrays"),
    ("sum", lambda w: True, "sums along the first axis, in float64 or in many short parts"),
]


# -- the limits of the machine ----------------------------------------------------------------------------------------


def best_seconds(run, rounds=12):
    """Return the shortest of several runs."""
    best = math.inf
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best


def product_rate(dot, n=1536):
    """Return multiplications and additions per second, with float32."""
    a, b = np.random.default_rng(0).random((2, n, n), "float32")
    return 2 * n ** 3 / best_seconds(lambda: dot(a, b))


def product_rates():
    """Return {library: its rate}. OpenBLAS reads its environment variable once, so each kernel type has its process."""
    rates = {}
    for name in CORE_TYPES:
        env = {**os.environ, **({"OPENBLAS_CORETYPE": name} if name else {})}
        done = subprocess.run([sys.executable, __file__, "--product"], env=env, capture_output=True, text=True)
        if done.returncode == 0:
            rates[f"NumPy's BLAS, {name or 'its own choice of'} kernels"] = float(done.stdout)
    left, right = mx.nd.random.uniform(shape=(2, 1536, 1536))
    rates["minigluon's dot"] = product_rate(lambda a, b: mx.nd.dot(left, right).wait_to_read())
    return rates


def copy_rates():
    """Return {bytes: bytes read and written per second by all cores}, each core with its own part."""
    cores = machine.cores()
    rates = {}
    for size in COPIES:
        part = size // cores
        pairs = [(np.ones(part, "uint8"), np.ones(part, "uint8")) for _ in range(cores)]
        times = max(1, 2 ** 24 // size)
        if part < 2 ** 20:      # in a core's own cache: one core after another, because Python runs only one
            source, target = pairs[0]
            seconds = best_seconds(lambda s=source, t=target, n=times: [np.copyto(t, s) for _ in range(n)]) / times
        else:
            seconds = best_seconds(lambda p=pairs: at_once([lambda s=s, t=t: np.copyto(t, s) for t, s in p]), 30)
        rates[size] = 2 * part * cores / seconds
    return rates


def at_once(functions):
    """Run them in threads."""
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


# -- the kernels ------------------------------------------------------------------------------------------------------


class Work:
    """A step of a plan: its inputs, outputs and computation, and its time.

    depth: products summed per element of the result, only for products. `measure` fills the other fields.
    """

    def __init__(self, step, specs, seconds):
        op, self.seconds = step.node.op, seconds
        self.name, self.op = op.name, op
        inputs = [specs[slot] for slot in step.inputs]
        outputs = [specs[slot] for slot in step.outputs]
        names = op.argument_names(len(inputs))
        self.shapes = [spec.shape for spec in inputs]
        self.result = outputs[0].shape
        read = [spec for name, spec in zip(names, inputs) if name not in op.shape_only]
        self.bytes = sum(math.prod(spec.shape) * spec.dtype.itemsize for spec in [*read, *outputs])
        self.flops, self.depth = multiplications(op, names, self.shapes, self.result)
        self.accelerated = getattr(step.kernel, "runs_in_programs", False)

    def limit(self, product, copies):
        """Set `least`, the minimum seconds that it needs."""
        rate = next((rate for size, rate in copies.items() if 2 * size >= self.bytes), list(copies.values())[-1])
        self.by_flops, self.by_bytes = self.flops / product, self.bytes / rate
        self.least = max(self.by_flops, self.by_bytes)

    @property
    def key(self):
        """The key of the step; steps with the same key are one row."""
        return self.op, tuple(self.shapes)


def multiplications(op, names, shapes, result):
    """Return (multiplications and additions, products in a sum) of an operator; (0, 0) if it is not a product."""
    if op.name == "_fused":
        return 0, 0
    if op.name == "_blocked_conv":
        shapes = op._plain(shapes)
    if hasattr(op, "program"):
        return of_program(op.program, shapes)
    shape = dict(zip(names, shapes))
    size = lambda name: math.prod(shape[name])
    if op.name == "_conv_weight_grad":
        positions = size("grad") // shape["grad"][1]           # windows in all images
        return 2 * positions * math.prod(result), shape["grad"][1]
    if op.name == "_conv_data_grad":
        return 2 * size("grad") // shape["grad"][1] * size("weight"), size("weight") // shape["weight"][1]
    if op.name in ("Convolution", "_conv"):
        return 2 * math.prod(result) // result[1] * size("weight"), size("weight") // shape["weight"][0]
    if op.name == "_fully_connected_weight_grad":
        return 2 * shape["grad"][0] * math.prod(result), shape["grad"][0]
    if op.name in ("FullyConnected", "_fully_connected", "_fully_connected_data_grad"):
        columns, depth = shapes[1] if op.name != "_fully_connected_data_grad" else shapes[1][::-1]
        return 2 * math.prod(result) * depth, depth
    if op.name.startswith("_attention"):
        return of_attention(op, names, shapes)
    return 0, 0


def of_attention(op, names, shapes):
    """Return the same for attention's two products, and for the five of its gradient."""
    first = names.index(op.projections[0])
    query, key, value = op.checked(shapes[first:first + len(op.projections)])
    scores, (depth, width) = math.prod(query[:3]) * key[2], (key[3], value[3])
    return 2 * scores * (3 * depth + 2 * width if op.name.endswith("_grad") else depth + width), depth


def of_program(program, shapes):
    """Return the same for a sequence of operators, one of which is a product."""
    results, found = [], (0, 0)
    for op, operands in program:
        given = [tuple(shapes[k] if k >= 0 else results[-1 - k]) for k in operands]
        results.append(op.infer_shape(*given)[1][0])
        found = max(found, multiplications(op, op.argument_names(len(given)), given, results[-1]))
    return found


def works_of(program, rounds):
    """Return a Work for each step of a program's plans, with its time."""
    program.run()
    for block in program.blocks:
        for graph in set(block._graphs.values()):
            plan = graph.compiled.last_plan
            layout = plan._layout
            specs = {slot: layout.specs.get(pair, NOTHING) for pair, slot in layout.slot_of.items()}
            draw = np.random.default_rng(0)
            arrays = [draw.uniform(0.1, 1, specs[slot].shape).astype(specs[slot].dtype)
                      for slot in range(layout.inputs)]
            if plan.prepackers is not None:     # the end of packed weights says that they are packed
                bound = next(iter(graph.bound.values()))
                arrays[plan._inputs - len(plan.prepackers):plan._inputs] = bound.constants.of(plan.prepackers)
            heads = arrays[plan._heads]
            for step, seconds in plan.profile(arrays[:plan._inputs], heads or None, rounds):
                yield Work(step, specs, seconds)


# -- the tables -------------------------------------------------------------------------------------------------------


def why(work):
    """Return the reason if less than half of the limit is reached."""
    if work.least / work.seconds >= 0.5:
        return ""
    if not work.accelerated:
        return "**no kernel**: the reference runs"
    for end, fits, reason in WHY:
        if work.name.endswith(end) and fits(work):
            return reason.format(depth=work.depth)
    return "**not explained**"


def rows_of(works, most):
    """Yield Markdown rows, with equal steps combined, the slowest first, up to a maximum."""
    groups = {}
    for work in works:
        groups.setdefault(work.key, []).append(work)
    total = sum(work.seconds for work in works)
    ordered = sorted(groups.values(), key=lambda group: -sum(work.seconds for work in group))
    for group in ordered[:most]:
        work, seconds = group[0], sum(work.seconds for work in group)
        least = sum(work.least for work in group)
        rate = f"{sum(w.flops for w in group) / seconds / 1e9:.0f} GFLOP/s" if work.by_flops >= work.by_bytes else (
            f"{sum(w.bytes for w in group) / seconds / 1e9:.1f} GB/s")
        shapes = " ".join("x".join(map(str, shape)) or "()" for shape in work.shapes[:2])
        times = f"{len(group)} x " if len(group) > 1 else ""
        yield (f"| {work.name} | {times}{shapes} | {time_text(seconds)} | {seconds / total:.0%} | {rate} "
               f"| {least / seconds:.0%} | {why(max(group, key=lambda w: w.seconds))} |")
    rest = [work for group in ordered[most:] for work in group]
    if rest:
        seconds, least = sum(work.seconds for work in rest), sum(work.least for work in rest)
        yield (f"| {len(rest)} others | | {time_text(seconds)} | {seconds / total:.0%} | | {least / seconds:.0%} "
               f"| each less than {time_text(max(w.seconds for w in rest) * 1.01)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nets", nargs="+", choices=[*NETS, *FORWARD], default=list(NETS))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--all", action="store_true", help="every kernel, not only those that take 1 %% or more")
    parser.add_argument("--sizes", nargs="+", default=[], metavar="NAME=N", help="as in minigluon bench")
    parser.add_argument("--product", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.product:
        print(product_rate(np.dot))
        return
    products, copies = product_rates(), copy_rates()
    product = max(products.values())
    backend = mx.backend.backend_for(mx.cpu())
    print(f"{machine.processor()}, {machine.cores()} cores, backend {backend.name}; {machine.blas()}\n")
    print("| products of 1536 x 1536 matrices by | GFLOP/s |\n|---|---|")
    for name, rate in products.items():
        print(f"| {name} | {rate / 1e9:.0f} |")
    print("\n| copy of | " + " | ".join(map(bytes_text, copies)) + " |\n|" + "---|" * (len(copies) + 1))
    print("| GB/s, read and written | " + " | ".join(f"{rate / 1e9:.0f}" for rate in copies.values()) + " |")
    sizes = {**SIZES, **{name: int(n) for name, n in (size.split("=") for size in args.sizes)}}
    makers = programs_gluon.makers(mx, sizes)
    for net in args.nets:
        rounds, name = args.rounds if net in ("mlp", "lenet") else max(3, args.rounds // 4), {**NETS, **FORWARD}[net]
        works = list(works_of(makers[name]("hybridized"), rounds))
        for work in works:
            work.limit(product, copies)
        total, least = sum(w.seconds for w in works), sum(w.least for w in works)
        print(f"\n### {name}\n\n{len(works)} kernels, {time_text(total)}, {least / total:.0%} of the limits.\n")
        print("| operator | inputs | time | of all | rate | of the limit | why under half |\n"
              "|---|---|---|---|---|---|---|")
        large = sum(sum(w.seconds for w in works if w.key == key) >= 0.01 * total for key in {w.key for w in works})
        for row in rows_of(works, None if args.all else large):
            print(row, flush=True)


if __name__ == "__main__":
    main()
