"""Is any operator embarrassingly slow? Processor time of single operators on one thread, here and in MXNet 1.9.1.

    MINIGLUON_MXNET_PYTHON=... python benchmarks/operators_census.py [--above 2] [--only topk sort]

About 100 and about 300,000 numbers; forward, and forward with backward. The table shows what takes more than `--above`
times MXNet's time. Processor time bears other work on the machine better than the clock does, but caches are shared:
ratios below 2 say nothing, and a long one should be seen twice.
"""

import argparse
import itertools
import json
import os
import statistics
import subprocess
import sys
import time
import zlib

import numpy as np

ROUNDS, PACE = 4, 0.004             # seconds of a round, at least one call
ONE_THREAD = dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1")

# Kinds of inputs: (shape when small, shape when large), of numbers between 0.1 and 0.9 ...
SHAPES = {
    "matrix": ((10, 10), (512, 512)), "row": ((1, 10), (1, 512)), "vector": ((10,), (512,)),
    "image": ((2, 4, 4, 4), (16, 32, 28, 28)), "channels": ((4,), (32,)), "filters": ((4, 4, 3, 3), (32, 32, 3, 3)),
    "steps": ((5, 4, 5), (64, 32, 128)), "square": ((10, 10), (256, 256)), "stack": ((2, 5, 5), (32, 64, 64)),
    "grid": ((2, 2, 4, 4), (16, 2, 28, 28)), "boxes": ((10, 4), (2000, 4)), "few_boxes": ((5, 4), (100, 4)),
    "offsets": ((2, 8, 4), (8, 4000, 4)), "anchors": ((1, 8, 4), (1, 4000, 4)),
}
# ... and of whole numbers below a limit: (shape, limit) twice
INDICES = {"rows": (((10,), 10), ((512,), 512)), "pairs": (((2, 30), 10), ((2, 100000), 512)),
           "lengths": (((4,), 5), ((32,), 64))}

ONE_BY_ONE = ["abs", "arcsin", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfinv", "exp", "expm1",
              "floor", "gamma", "gammaln", "identity", "log", "log10", "log1p", "log2", "negative", "reciprocal",
              "relu", "rint", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softsign", "sqrt", "square", "tan", "tanh"]
ALONG_AXIS = ["argmax", "argsort", "cumsum", "log_softmax", "max", "mean", "min", "norm", "prod", "softmax", "sort",
              "sum", "topk"]
PAIRWISE = ["add", "div", "equal", "greater", "hypot", "maximum", "minimum", "mod", "mul", "power", "sub"]
WITHOUT_GRADIENT = {"argmax", "argsort", "topk", "equal", "greater"}
OTHERS = [                          # (name, has it a gradient?, kinds of inputs, function)
    ("topk, 10 with values", False, "matrix", lambda nd, x: nd.topk(x, k=10, ret_typ="both")),
    ("transpose", True, "matrix", lambda nd, x: x.T),
    ("flip", True, "matrix", lambda nd, x: nd.flip(x, axis=1)),
    ("tile", True, "matrix", lambda nd, x: nd.tile(x, (1, 2))),
    ("repeat", True, "matrix", lambda nd, x: nd.repeat(x, 2, axis=1)),
    ("concat", True, "matrix matrix", lambda nd, *x: nd.concat(*x, dim=1)),
    ("stack", True, "matrix matrix", lambda nd, *x: nd.stack(*x)),
    ("where", True, "matrix matrix matrix", lambda nd, c, x, y: nd.where(c > 0.5, x, y)),
    ("x[2:-2]", True, "matrix", lambda nd, x: x[2:-2]),
    ("x[:, 2]", True, "matrix", lambda nd, x: x[:, 2]),
    ("x[[1, 3, 5]]", True, "matrix", lambda nd, x: x[[1, 3, 5]]),
    ("dot", True, "square square", lambda nd, x, y: nd.dot(x, y)),
    ("batch_dot", True, "stack stack", lambda nd, x, y: nd.batch_dot(x, y)),
    ("take", True, "matrix rows", lambda nd, x, i: nd.take(x, i)),
    ("pick", True, "matrix rows", lambda nd, x, i: nd.pick(x, i)),
    ("gather_nd", True, "matrix pairs", lambda nd, x, i: nd.gather_nd(x, i)),
    ("SequenceMask", True, "steps lengths", lambda nd, x, n: nd.SequenceMask(x, n, use_sequence_length=True)),
    ("FullyConnected", True, "square square",
     lambda nd, x, w: nd.FullyConnected(x, w, num_hidden=w.shape[0], no_bias=True)),
    ("Convolution", True, "image filters",
     lambda nd, x, w: nd.Convolution(x, w, kernel=(3, 3), pad=(1, 1), num_filter=w.shape[0], no_bias=True)),
    ("Deconvolution", True, "image filters",
     lambda nd, x, w: nd.Deconvolution(x, w, kernel=(3, 3), pad=(1, 1), stride=(2, 2), num_filter=w.shape[1])),
    ("Pooling, max", True, "image", lambda nd, x: nd.Pooling(x, kernel=(2, 2), stride=(2, 2), pool_type="max")),
    ("Pooling, avg", True, "image", lambda nd, x: nd.Pooling(x, kernel=(3, 3), stride=(2, 2), pool_type="avg")),
    ("BatchNorm", True, "image channels channels channels channels",
     lambda nd, *x: nd.BatchNorm(*x, fix_gamma=False)),
    ("LayerNorm", True, "matrix vector vector", lambda nd, *x: nd.LayerNorm(*x)),
    ("LRN", True, "image", lambda nd, x: nd.LRN(x, nsize=5)),
    ("Dropout", True, "matrix", lambda nd, x: nd.Dropout(x, mode="always")),
    ("UpSampling", True, "image", lambda nd, x: nd.UpSampling(x, scale=2, sample_type="nearest")),
    ("BilinearResize2D", True, "image", lambda nd, x: nd.contrib.BilinearResize2D(x, height=40, width=40)),
    ("AdaptiveAvgPooling2D", True, "image", lambda nd, x: nd.contrib.AdaptiveAvgPooling2D(x, output_size=(3, 3))),
    ("BilinearSampler", True, "image grid", lambda nd, x, g: nd.BilinearSampler(x, g)),
    ("linalg.trsm", True, "stack stack", lambda nd, x, y: nd.linalg.trsm(x, y)),
    ("box_iou", False, "boxes few_boxes", lambda nd, x, y: nd.contrib.box_iou(x, y)),
    ("box_decode", False, "offsets anchors", lambda nd, x, a: nd.contrib.box_decode(x, a)),
    ("normal numbers", False, "matrix", lambda nd, x: nd.random.normal_like(data=x)),
    ("adam_update", False, "matrix matrix matrix matrix", lambda nd, w, *x: nd.adam_update(w, *x, lr=0.001, out=w)),
]


def cases():
    """(name, has it a gradient?, kinds of inputs, function of nd and the inputs), of all."""
    def call(name, **attributes):
        return lambda nd, *x: getattr(nd, name)(*x, **attributes)
    for name in ONE_BY_ONE:
        yield name, True, "matrix", call(name)
    for name, axis in itertools.product(ALONG_AXIS, (0, 1)):
        yield f"{name}, axis {axis}", name not in WITHOUT_GRADIENT, "matrix", call(name, axis=axis)
    for name, other in itertools.product(PAIRWISE, ("row", "matrix")):
        yield (f"broadcast_{name}, {other}", name not in WITHOUT_GRADIENT, f"matrix {other}",
               call(f"broadcast_{name}"))
    yield from OTHERS


def inputs(mx, kinds, large, rng):
    for kind in kinds.split():
        if kind in SHAPES:
            yield mx.nd.array(0.1 + 0.8 * rng.random(SHAPES[kind][large]))
        else:
            shape, limit = INDICES[kind][large]
            yield mx.nd.array(rng.integers(1, limit, shape))


def program(mx, function, arrays, backward):
    """What runs the operator so many times."""
    if not backward:
        return lambda count: [function(mx.nd, *arrays) for _ in range(count)]
    for x in arrays:
        x.attach_grad()

    def run(count):
        for _ in range(count):
            with mx.autograd.record():
                out = function(mx.nd, *arrays)
            mx.autograd.backward([out])
    return run


def seconds(mx, run):
    """Processor seconds of one call, the least of several rounds."""
    def timed(count):
        start = time.process_time()
        run(count)
        mx.nd.waitall()
        return (time.process_time() - start) / count
    timed(2)
    count = max(1, min(2000, int(PACE / max(timed(1), 1e-6))))
    return min(timed(count) for _ in range(ROUNDS))


def measure(library, only):
    """Print a line of JSON for each measurement: [operator, size, mode, seconds or what it says instead]."""
    mx = __import__("mxnet" if library == "mxnet" else "minigluon")
    chosen = [case for case in cases() if not only or case[0].startswith(tuple(only))]
    for name, has_gradient, kinds, function in chosen:
        for large in (0, 1):
            for backward in (False, True)[:1 + has_gradient]:
                arrays = list(inputs(mx, kinds, large, np.random.default_rng(zlib.crc32(name.encode()))))
                try:
                    found = seconds(mx, program(mx, function, arrays, backward))
                except Exception as error:          # a library may lack an operator or its gradient: that is a result
                    found = f"{type(error).__name__}: {error}".splitlines()[0]
                print(json.dumps([name, ("small", "large")[large], ("forward", "step")[backward], found]), flush=True)


def child(library, python, only):
    """{(operator, size, mode): seconds or text} of a library, measured in a process of its own."""
    environment = {**os.environ, **ONE_THREAD, **({"MINIGLUON_BACKEND": "numpy"} if library == "numpy" else {})}
    command = [python, __file__, "--library", library, "--only", *only]
    text = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {tuple(row[:3]): row[3] for row in map(json.loads, filter(None, text.splitlines()))}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--above", type=float, default=2.0)
    parser.add_argument("--only", nargs="*", default=[], help="how names of operators begin")
    parser.add_argument("--library", choices=["minigluon", "numpy", "mxnet"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.library:
        return measure(args.library, args.only)
    peer = os.environ.get("MINIGLUON_MXNET_PYTHON")
    if not peer:
        parser.error("MINIGLUON_MXNET_PYTHON must name a Python with MXNet 1.9.1")
    own, numpy, theirs = (child(library, python, args.only) for library, python in (
        ("minigluon", sys.executable), ("numpy", sys.executable), ("mxnet", peer)))
    both = {key: own[key] / theirs[key] for key in own if not any(isinstance(t[key], str) for t in (own, theirs))}
    print("| operator | size | | minigluon-accel, µs | NumPy alone, µs | MXNet, µs | minigluon-accel / MXNet |")
    print("|---|---|---|---|---|---|---|")
    for key in sorted(both, key=both.get, reverse=True):
        if both[key] > args.above:
            times = " | ".join(f"{t[key] * 1e6:.0f}" for t in (own, numpy, theirs))
            print(f"| {' | '.join(key)} | {times} | {both[key]:.1f} |")
    print(f"\n{len(both)} compared, {sum(r > args.above for r in both.values())} above; "
          f"the median ratio is {statistics.median(both.values()):.2f}")
    return None


if __name__ == "__main__":
    main()
