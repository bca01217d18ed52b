"""Check that results are unchanged bit for bit: write their fingerprints in one checkout, compare in another.

    python benchmarks/same_results.py --write before.json        # in the old checkout
    python benchmarks/same_results.py --compare before.json      # in the new one; exits with 1 if they differ

It runs nets and the rows of the operators' case table on each backend of the CPU, imperatively and hybridized, and
takes the SHA-256 of dtype, shape and bytes of all outputs, gradients and parameters after two steps of a trainer. It
uses the minigluon that Python imports, and the case table from the tests next to it, or from --cases.

Sums depend on the instruction set and, in some libraries, on the number of threads. The latter is set here; a file's
header records the other conditions, and a comparison reports differences between them.
"""

import argparse
import hashlib
import importlib
import json
import os
import platform
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from same_results_nets import NETS, OPTIMIZERS, small_mlp

import minigluon as mx
from minigluon import autograd, gluon, nd
from minigluon.backend import available, use_backend

PINNED = {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "1", "MINIGLUON_GPU": "off"}
MODES = ["imperative", "hybridized", "recompute", "one call"]
DTYPES = ["float32", "float64"]
WITHOUT_RESULT = {"reset_arrays"}


def fingerprint(array):
    """Return the SHA-256 of an NDArray's dtype, shape and bytes."""
    values = np.ascontiguousarray(array.asnumpy())
    digest = hashlib.sha256(f"{values.dtype} {values.shape} ".encode())
    digest.update(values.tobytes())
    return digest.hexdigest()


def listed(value):
    """Return a result as a list of arrays."""
    return list(value) if isinstance(value, (list, tuple)) else [value]


def flat(value):
    """Yield the arrays in nested lists."""
    return [array for part in value for array in flat(part)] if isinstance(value, (list, tuple)) else [value]


# -- nets --------------------------------------------------------------------------------------------------------------


def net_results(make, mode, optimizer, options):
    """Yield (name, array) of an unrecorded pass and of two training steps.

    make() -> net, batch, labels, loss. The net's parameters are newly drawn, but the same for each mode.
    """
    mx.random.seed(3)
    np.random.seed(3)
    net, x, label, loss = make()
    net(x)
    if mode != "imperative":
        for block in (net, loss):
            block.hybridize(**({"recompute": True} if mode == "recompute" else {}))
    for number, y in enumerate(flat(net(x))):
        yield f"inference {number}", y
    trainer = gluon.Trainer(net.collect_params(), optimizer, dict(options))
    params = list(net.collect_params().values())
    step = gluon.TrainStep(net, loss, trainer) if mode == "one call" else None
    x.attach_grad()
    for number in range(2):
        if step is not None:
            yield f"step {number}: loss", step(x, label)
        else:
            with autograd.record():
                outputs = net(x)
                error = loss(outputs, label)
            error.backward()
            for index, y in enumerate(flat(outputs)):
                yield f"step {number}: output {index}", y
            yield f"step {number}: loss", error
            yield f"step {number}: gradient of the batch", x.grad
            for index, param in enumerate(params):
                if param.grad_req != "null":
                    yield f"step {number}: gradient of parameter {index}", param.grad()
            trainer.step(len(label))
        for index, param in enumerate(params):
            yield f"step {number}: parameter {index}", param.data()


def all_nets():
    """Yield (name, array) for each net in each mode, and for a small net with each optimizer."""
    for name, make in NETS.items():
        for mode in MODES:
            for what, array in net_results(make, mode, "sgd", {"learning_rate": 0.01, "momentum": 0.9, "wd": 1e-4}):
                yield f"net {name}, {mode}: {what}", array
    for optimizer, options in OPTIMIZERS.items():
        for mode in ("imperative", "hybridized", "one call"):
            for what, array in net_results(small_mlp, mode, optimizer.split()[0], options):
                yield f"optimizer {optimizer}, {mode}: {what}", array


# -- operators ---------------------------------------------------------------------------------------------------------


class Case(gluon.HybridBlock):
    """A row of the table as a block. between: in planned memory, with an operator before each input and after it."""

    def __init__(self, case, between):
        super().__init__()
        self.case, self.between = case, between

    def hybrid_forward(self, F, *inputs):
        inputs = [x + 0 for x in inputs] if self.between else inputs if self.case.makers else ()
        outputs = getattr(F, self.case.op)(*inputs, **self.case.attrs)
        if not self.between:
            return outputs
        outputs = list(outputs) if F is mx.sym else listed(outputs)
        return [y * 2 + y for y in outputs]


def suits_between(case):
    """Return whether arithmetic before and after the operator makes sense."""
    inputs = case.inputs()
    return bool(inputs) and all(a.dtype.kind == "f" for a in inputs) and not mx.ops.REGISTRY[case.op].mutates


def case_results(case, dtype, block):
    """Yield (name, array) of a row: outputs, gradients, and the inputs afterwards, which some operators overwrite."""
    mx.random.seed(7)
    inputs = [nd.array(a, dtype=a.dtype) for a in case.inputs(dtype)] or [nd.ones((1,))]     # a block takes one or more
    for index in case.grad:
        inputs[index].attach_grad()
    with autograd.record(train_mode=case.train):
        outputs = listed(block(*inputs) if isinstance(block, Case) else block(nd, *inputs))
    if case.grad:
        autograd.backward(outputs, [nd.array(head_grad(y.shape, index), dtype=y.dtype)
                                    for index, y in enumerate(outputs)])
    for index, y in enumerate(outputs):
        yield f"output {index}", y
    for index in case.grad:
        yield f"gradient {index}", inputs[index].grad
    for index, x in enumerate(inputs):
        yield f"input {index} afterwards", x


def head_grad(shape, index):
    """Return fixed numbers, different for each output."""
    return np.random.default_rng(1000 + index).uniform(0.5, 1.5, shape)


def all_cases(cases):
    """Yield (name, array) for each row, dtype and mode."""
    for case in cases:
        for dtype in DTYPES:
            for between in ([False, True] if suits_between(case) else [False]):
                imperative, hybridized = Case(case, between), Case(case, between)
                hybridized.hybridize()
                # The second hybridized call reuses the memory that the first has left.
                ways = [("imperative", imperative.hybrid_forward), ("hybridized", hybridized),
                        ("hybridized again", hybridized)]
                # Without a result, a graph would be empty.
                for how, block in ways[:1] if case.op in WITHOUT_RESULT else ways:
                    name = f"row {case.id}, {dtype}, {how}{', between' if between else ''}"
                    for what, array in case_results(case, dtype, block):
                        yield f"{name}: {what}", array


def load_cases(folder):
    """Return the table of the package whose `case.py` is somewhere below the folder."""
    found = [path.parent for path in sorted(Path(folder).resolve().rglob("case.py"))
             if (path.parent / "__init__.py").exists()]
    if len(found) != 1:
        sys.exit(f"{folder}: expected one package with a case.py below it, found {len(found)}: "
                 + " ".join(map(str, found)))
    sys.path[:0] = [str(found[0].parent), str(folder)]
    return importlib.import_module(found[0].name).CASES


# -- together ----------------------------------------------------------------------------------------------------------


def results(cases, parts):
    """Return {name: fingerprint} on each backend of the CPU."""
    found = {}
    for backend in sorted(name for name, b in available().items() if "cpu" in b.device_types):
        begin = time.perf_counter()
        with use_backend(backend):
            for part in parts:
                for name, value in all_nets() if part == "nets" else all_cases(cases):
                    name = f"{backend}, {name}"
                    if name in found:
                        raise ValueError(f"two results are called {name}")
                    found[name] = fingerprint(value)
        print(f"{backend}: {time.perf_counter() - begin:.0f} s", file=sys.stderr)
    return found


def about():
    """Return the conditions that results depend on, besides the code."""
    backends = available()
    lines = {name: list(backend.details()) for name, backend in backends.items() if "cpu" in backend.device_types}
    return {"python": platform.python_version(), "numpy": np.__version__, "machine": platform.machine(),
            "environment": PINNED, "isa": [line for line in lines.get("accel", []) if line.endswith("yes")]}


def compare(before, after):
    """Return lines for all differences."""
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            yield f"gone:    {name}"
        elif name not in before:
            yield f"new:     {name}"
        elif before[name] != after[name]:
            yield f"differs: {name}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", metavar="FILE", type=Path)
    what.add_argument("--compare", metavar="FILE", type=Path)
    parser.add_argument("--cases", metavar="FOLDER", type=Path, default=Path(mx.__file__).parents[1] / "tests",
                        help="folder with the case table (default: the tests next to minigluon)")
    parser.add_argument("--parts", nargs="+", choices=["nets", "cases"], default=["nets", "cases"])
    chosen = parser.parse_args()
    if not PINNED.items() <= os.environ.items():        # libraries read them when they are loaded: restart
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **PINNED})
    warnings.simplefilter("ignore", RuntimeWarning)
    found = results(load_cases(chosen.cases) if "cases" in chosen.parts else [], chosen.parts)
    if chosen.write:
        chosen.write.write_text(json.dumps({"about": about(), "results": found}, indent=0) + "\n")
        print(f"{len(found)} results written to {chosen.write}")
        return
    before = json.loads(chosen.compare.read_text())
    if before["about"] != about():
        print(f"warning: written by {before['about']}, compared with {about()}")
    lines = list(compare(before["results"], found))
    print("\n".join([*lines, f"{len(found)} results, {len(lines)} of them not the same"]))
    sys.exit(bool(lines))


if __name__ == "__main__":
    main()
