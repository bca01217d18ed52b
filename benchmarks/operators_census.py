"""A search for embarrassingly slow operators: times of single operators, here and in MXNet 1.9.1.

    MINIGLUON_MXNET_PYTHON=... python benchmarks/operators_census.py [--above 2] [--threads 2] [--only topk sort]

About 100 and about 300,000 elements; forward, and forward with backward; the libraries take turns, an operator at a
time. The table shows operators that take more than `--above` times MXNet's time. With one thread, the default,
processor time is measured. Other load affects it less than elapsed time, but caches are shared: ratios below 2 mean
nothing, and a large one should be confirmed. With more threads, elapsed time is measured.
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
THREADS = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"]

# Kinds of inputs: (small shape, large shape), of numbers between 0.1 and 0.9 ...
SHAPES = {
    "matrix": ((10, 10), (512, 512)), "row": ((1, 10), (1, 512)), "vector": ((10,), (512,)),
    "image": ((2, 4, 4, 4), (16, 32, 28, 28)), "channels": ((4,), (32,)), "filters": ((4, 4, 3, 3), (32, 32, 3, 3)),
    "steps": ((5, 4, 5), (64, 32, 128)), "square": ((10, 10), (256, 256)), "stack": ((2, 5, 5), (32, 64, 64)),
    "grid": ((2, 2, 4, 4), (16, 2, 28, 28)), "boxes": ((10, 4), (2000, 4)), "few_boxes": ((5, 4), (100, 4)),
    "offsets": ((2, 8, 4), (8, 4000, 4)), "anchors": ((1, 8, 4), (1, 4000, 4)),
    "samples": ((2, 8), (8, 4000)), "own_anchors": ((2, 8, 4), (8, 4000, 4)), "refs": ((2, 3, 4), (8, 20, 4)),
    "means": ((4,), (4,)),
    "bilinear": ((4, 1, 4, 4), (32, 1, 4, 4)), "affine": ((2, 6), (16, 6)), "groups": ((2, 18, 8, 8), (2, 490, 38, 50)),
    "scored": ((2, 10, 6), (8, 1000, 6)), "pairs_scored": ((2, 5, 8), (8, 200, 400)),
    "classes": ((2, 3, 8), (8, 21, 4000)), "flat_offsets": ((2, 32), (8, 16000)),
}
# ... and of integers below a limit: (shape, limit) twice
INDICES = {"rows": (((10,), 10), ((512,), 512)), "pairs": (((2, 30), 10), ((2, 100000), 512)),
           "lengths": (((4,), 5), ((32,), 64)), "words": (((20,), 10), ((32, 64), 512)),
           "matches": (((2, 8), 3), ((8, 4000), 20))}


def regions(rng, large):
    """Return (image, left, top, right, bottom) of 5 or 100 regions of images of 8 x 8 or 38 x 50."""
    count, h, w = ((5, 8, 8), (100, 38, 50))[large]
    corners = [np.sort(rng.integers(0, n, (count, 2))) for n in (w, h)]
    return np.stack([rng.integers(0, 2, count), *np.stack(corners, -1).transpose(1, 2, 0).reshape(4, count)], 1)


def objects(rng, large):
    """Return (class, left, top, right, bottom) of 2 or 6 objects in each of 2 or 8 images, relative to the image."""
    images, count = ((2, 2), (8, 6))[large]
    corners = np.sort(rng.random((images, count, 2, 2)), 2).reshape(images, count, 4)
    return np.concatenate([rng.integers(0, 2, (images, count, 1)), corners], 2)


# ... and others
MADE = {"regions": regions, "objects": objects}

ONE_BY_ONE = ["abs", "arcsin", "arctan", "arctanh", "cbrt", "ceil", "cos", "cosh", "erf", "erfinv", "exp", "expm1",
              "floor", "gamma", "gammaln", "identity", "log", "log10", "log1p", "log2", "negative", "reciprocal",
              "relu", "rint", "rsqrt", "sigmoid", "sign", "sin", "sinh", "softsign", "sqrt", "square", "tan", "tanh"]
ALONG_AXIS = ["argmax", "argsort", "cumsum", "log_softmax", "max", "mean", "min", "norm", "prod", "softmax", "sort",
              "sum", "topk"]
PAIRWISE = ["add", "div", "equal", "greater", "hypot", "maximum", "minimum", "mod", "mul", "power", "sub"]
WITHOUT_GRADIENT = {"argmax", "argsort", "topk", "equal", "greater"}
OTHERS = [                          # (name, whether it has a gradient, kinds of inputs, function)
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
    ("UpSampling, bilinear", True, "image bilinear", lambda nd, *x: nd.UpSampling(
        *x, scale=2, sample_type="bilinear", num_filter=x[0].shape[1])),
    ("SpatialTransformer", True, "image affine", lambda nd, *x: nd.SpatialTransformer(
        *x, target_shape=x[0].shape[2:], transform_type="affine", sampler_type="bilinear")),
    ("PSROIPooling", True, "groups regions", lambda nd, *x: nd.contrib.PSROIPooling(
        *x, spatial_scale=1.0, output_dim=x[0].shape[1] // (49 if x[0].shape[1] > 18 else 9),
        pooled_size=7 if x[0].shape[1] > 18 else 3)),
    ("ROIPooling", True, "groups regions", lambda nd, *x: nd.ROIPooling(*x, pooled_size=(3, 3), spatial_scale=1.0)),
    ("ROIAlign", True, "groups regions", lambda nd, *x: nd.contrib.ROIAlign(
        *x, pooled_size=(3, 3), spatial_scale=1.0, sample_ratio=2)),
    ("Embedding", True, "words matrix", lambda nd, i, w: nd.Embedding(
        i, w, input_dim=w.shape[0], output_dim=w.shape[1])),
    ("box_nms", True, "scored", lambda nd, x: nd.contrib.box_nms(x, topk=400, overlap_thresh=0.5)),
    ("bipartite_matching", False, "pairs_scored", lambda nd, x: nd.contrib.bipartite_matching(x, threshold=0.2)),
    ("MultiBoxPrior", False, "image", lambda nd, x: nd.contrib.MultiBoxPrior(
        x, sizes=(0.3, 0.5), ratios=(1, 2, 0.5))),
    ("MultiBoxTarget", False, "anchors objects classes", lambda nd, *x: nd.contrib.MultiBoxTarget(*x)),
    ("MultiBoxDetection", False, "classes flat_offsets anchors",
     lambda nd, *x: nd.contrib.MultiBoxDetection(*x, nms_topk=400)),
    ("linalg.trsm", True, "stack stack", lambda nd, x, y: nd.linalg.trsm(x, y)),
    ("box_iou", False, "boxes few_boxes", lambda nd, x, y: nd.contrib.box_iou(x, y)),
    ("box_encode", False, "samples matches own_anchors refs means means", lambda nd, *x: nd.contrib.box_encode(*x)),
    ("box_decode", False, "offsets anchors", lambda nd, x, a: nd.contrib.box_decode(x, a)),
    ("normal numbers", False, "matrix", lambda nd, x: nd.random.normal_like(data=x)),
    ("adam_update", False, "matrix matrix matrix matrix", lambda nd, w, *x: nd.adam_update(w, *x, lr=0.001, out=w)),
]


def cases():
    """Yield (name, whether it has a gradient, kinds of inputs, function of nd and the inputs) for all operators."""
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
        elif kind in MADE:
            yield mx.nd.array(MADE[kind](rng, large))
        else:
            shape, limit = INDICES[kind][large]
            yield mx.nd.array(rng.integers(1, limit, shape))


def program(mx, function, kinds, arrays, backward):
    """Return a function that runs the operator a number of times, without results. Indices have no gradient."""
    def forward(count):
        for _ in range(count):
            function(mx.nd, *arrays)

    def step(count):
        for _ in range(count):
            with mx.autograd.record():
                out = function(mx.nd, *arrays)
            mx.autograd.backward([out])
    for kind, x in zip(kinds.split(), arrays, strict=True):
        if backward and kind not in INDICES:
            x.attach_grad()
    return step if backward else forward


def seconds(mx, run, clock):
    """Return the seconds of one call, the minimum of several rounds."""
    def timed(count):
        start = clock()
        run(count)
        mx.nd.waitall()
        return (clock() - start) / count
    timed(2)
    count = max(1, min(2000, int(PACE / max(timed(1), 1e-6))))
    return min(timed(count) for _ in range(ROUNDS))


def answer(library, clock):
    """Answer each operator's name on the input with a line of JSON, {size and mode: seconds or error message}."""
    mx = __import__("mxnet" if library == "mxnet" else "minigluon")
    known = {case[0]: case for case in cases()}
    for name in map(str.strip, sys.stdin):
        _, has_gradient, kinds, function = known[name]
        found = {}
        for large, backward in itertools.product((0, 1), (False, True)[:1 + has_gradient]):
            arrays = list(inputs(mx, kinds, large, np.random.default_rng(zlib.crc32(name.encode()))))
            key = f"{('small', 'large')[large]} | {('forward', 'step')[backward]}"
            try:
                found[key] = seconds(mx, program(mx, function, kinds, arrays, backward), clock)
            except Exception as error:              # a library may lack an operator or its gradient: that is a result
                found[key] = f"{type(error).__name__}: {error}".splitlines()[0]
        print(json.dumps(found), flush=True)


class Library:
    """A library in a separate process, which answers requests."""

    def __init__(self, name, python, threads):
        environment = {**os.environ, **dict.fromkeys(THREADS, str(threads))}
        if name == "numpy":
            environment["MINIGLUON_BACKEND"] = "numpy"
        if name == "mxnet":
            environment.pop("PYTHONPATH", None)
        command = [python, "-W", "ignore", __file__, "--library", name, "--threads", str(threads)]
        self.process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL if name == "mxnet" else None, text=True)

    def times(self, operator):
        """Return {(operator, size and mode): seconds or text}."""
        self.process.stdin.write(operator + "\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            if line.startswith("{"):
                return {(operator, key): found for key, found in json.loads(line).items()}
        sys.exit(f"{operator} ended its process")

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--above", type=float, default=2.0)
    parser.add_argument("--threads", type=int, default=1, help="with more than one, elapsed time is measured")
    parser.add_argument("--only", nargs="*", default=[], help="beginnings of operators' names")
    parser.add_argument("--library", choices=["minigluon", "numpy", "mxnet"], help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.library:
        return answer(args.library, time.process_time if args.threads == 1 else time.perf_counter)
    peer = os.environ.get("MINIGLUON_MXNET_PYTHON")
    if not peer:
        parser.error("MINIGLUON_MXNET_PYTHON must name a Python with MXNet 1.9.1")
    libraries = [Library(name, python, args.threads) for name, python in (
        ("minigluon", sys.executable), ("numpy", sys.executable), ("mxnet", peer))]
    own, numpy, theirs = {}, {}, {}
    for name, *_ in cases():
        if not args.only or name.startswith(tuple(args.only)):
            for library, found in zip(libraries, (own, numpy, theirs), strict=True):
                found.update(library.times(name))
    for library in libraries:
        library.end()
    report(own, numpy, theirs, args.above)
    return None


def report(own, numpy, theirs, above):
    """Print the table of operators above the limit, the largest ratio first."""
    both = {key: own[key] / theirs[key] for key in own if not any(isinstance(t[key], str) for t in (own, theirs))}
    print("| operator | size | | minigluon-accel, µs | NumPy alone, µs | MXNet, µs | minigluon-accel / MXNet |")
    print("|---|---|---|---|---|---|---|")
    for key in sorted(both, key=both.get, reverse=True):
        if both[key] > above:
            times = " | ".join(f"{t[key] * 1e6:.0f}" for t in (own, numpy, theirs))
            print(f"| {' | '.join(key)} | {times} | {both[key]:.1f} |")
    print(f"\n{len(both)} compared, {sum(r > above for r in both.values())} above; "
          f"the median ratio is {statistics.median(both.values()):.2f}")


if __name__ == "__main__":
    main()
