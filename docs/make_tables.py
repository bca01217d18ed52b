"""Writes operators-accelerated.md: which operators have compiled kernels on the CPU and on GPUs, and when they decline.

    python docs/make_tables.py          needs minigluon-accel

All operators that appear in the rows of tests/op_cases are run, forward and backward, with float32. The plugin is asked
for a kernel for each of them. A test generates the page again and compares the two, so that it cannot become outdated.
The script also writes the counts in the plugin's README.
"""

import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from minigluon import autograd, nd
from minigluon.backend import ReferenceBackend, Spec, use_backend
from minigluon.base import MXNetError
from minigluon.dispatch import infer

HERE = Path(__file__).parent
README = HERE.parent / "minigluon_accel" / "README.md"
sys.path.insert(0, str(HERE.parent / "tests"))

COUNTS = r"\d+ kernels for \d+ operators"
DTYPES = ["float32", "float64", "float16", "int64", "int32", "int8", "uint8"]

HEAD = """# Accelerated operators

Which operators have a kernel in [minigluon-accel](../minigluon_accel/README.md), and when it declines, so that the
reference runs. `python docs/make_tables.py` generates this page from the rows of [`tests/op_cases`](../tests/op_cases)
and the functions of [minigluon_accel.kernels](../minigluon_accel/minigluon_accel/kernels/__init__.py). In your own
program, [`declined`](../minigluon/dispatch.py) has the same counts.

- *served*: the number of calls with a kernel, among the rows and their gradients, each shape counted once;
- *kernels*: the names of the C kernels that do the work;
- *types*: the input dtypes it supports, in a row where float32 is supported;
- *declines*: the reasons for declining, with the number of calls. Random operators whose numbers are NumPy's, and those
  whose shape depends on values, have no kernel.
"""


def main():
    text = page()
    (HERE / "operators-accelerated.md").write_text(text, encoding="utf-8")
    README.write_text(counted(), encoding="utf-8")


def counted():
    """Returns the plugin's README with the counts that `minigluon info` prints."""
    from minigluon_accel import settings
    counts = re.search(COUNTS, next(settings.describe())).group()
    return re.sub(COUNTS, counts, README.read_text(encoding="utf-8"))


def page():
    """Returns the page as Markdown."""
    from minigluon_accel.kernels import prepared_operators
    served, declines = defaultdict(lambda: [0, set(), set()]), defaultdict(Counter)
    for op, specs, train in sorted(everything_that_runs(), key=str):
        found = kernel_of(op, specs, train)
        if isinstance(found, str):
            declines[op.name][found] += 1
            continue
        entry = served[op.name]
        entry[0] += 1
        entry[1].update(phase.name.removesuffix("_in_quads").removesuffix("_in_squares") for phase in found.phases)
        entry[2].update(types_of(op, specs, train))
    lines = [HEAD, "| operator | served | kernels | types | declines |", "|---|---|---|---|---|"]
    for name in sorted(prepared_operators(), key=str.lower):
        rows, phases, types = served.get(name, (0, (), ()))
        reasons = "; ".join(f"{reason} ({count})" for reason, count in sorted(declines[name].items()))
        shown = ", ".join(f"`{phase}`" for phase in sorted(phases)) or "in plans only"
        lines.append(f"| `{name}` | {rows} | {shown} | {', '.join(d for d in DTYPES if d in types)} | {reasons} |")
    without = sorted(set(declines) - set(prepared_operators()), key=str.lower)
    lines += ["", "## Without a kernel", "", "The reference runs: " + ", ".join(f"`{name}`" for name in without) + "."]
    return "\n".join([*lines, "", *gpu_lines()]) + "\n"


# -- on GPUs ----------------------------------------------------------------------------------------------------------

GPU_HEAD = """## On GPUs

The same calls on `mx.gpu()`: the CUDA functions that they launch, and the supported input dtypes. *Generated* means a
kernel made from the operator's own formula, see [chapter 14](14-one-kernel-on-the-gpu.md#a-chain-becomes-text); *on the
host* is a step that looks at values, draws the start of the random numbers, makes a small table, or calls a library;
*in no row*: no row reaches it.
"""


class Card:
    """A stand-in with the device properties that the kernel functions read."""

    capability, architecture, number, most_shared = (8, 0), "sm_80", 0, 163 * 2 ** 10
    memory = SimpleNamespace(outside=SimpleNamespace(address=0, number=lambda name, names_axis: 1))


def gpu_lines():
    """Yields the part about GPUs."""
    from minigluon_accel.gpu.kernels import gemm, prepared_operators
    gemm.processors = lambda device: 108
    functions, types, reasons = defaultdict(set), defaultdict(set), defaultdict(set)
    for op, specs, train in sorted(everything_that_runs(), key=str):
        found = gpu_work_of(op, specs, train)
        if isinstance(found, str):
            reasons[op.name].add(found)
            continue
        functions[op.name] |= found
        types[op.name] |= {name for name in DTYPES
                           if any(takes(op, typed, train) for typed in with_type(op, specs, np.dtype(name)))}
    yield GPU_HEAD
    yield "| operator | functions | types | declines |\n|---|---|---|---|"
    for name in sorted(prepared_operators(), key=str.lower):
        shown = ", ".join(f if f == "generated" or " " in f else f"`{f}`" for f in sorted(functions[name]))
        shown = shown or ("" if name in reasons else "in no row")
        yield (f"| `{name}` | {shown} | {', '.join(d for d in DTYPES if d in types[name])} "
               f"| {'; '.join(sorted(reasons[name]))} |")


def gpu_work_of(op, specs, train):
    """Returns the names of the functions that an operator launches, or the reason why it has no kernel."""
    from minigluon_accel.gpu.kernels import find
    from minigluon_accel.gpu.launch import Launch, Work
    if op.dynamic:
        return {"as many as the values ask for"}
    found = find(op, list(specs), infer(op, list(specs)), train, np.random.Generator(np.random.Philox(0)), Card())
    if isinstance(found, str):
        return found
    if not isinstance(found, Work):
        return {"on the host"}
    names = {launch.function if isinstance(launch, Launch) else "on the host" for launch in found.launches}
    return {"generated" if name.endswith("_kernel") else name for name in names}


def takes(op, specs, train):
    try:
        return not isinstance(gpu_work_of(op, specs, train), str)
    except Exception:               # the operator does not support this dtype
        return False


def everything_that_runs():
    """Returns {(op, Specs of its inputs, train)} for all rows, with their gradients."""
    from helpers.op_heads import head_grad
    from op_cases import CASES
    seen, prepare = set(), ReferenceBackend.prepare

    def spy(backend, op, inputs, outputs, train, rng):
        seen.add((op, tuple(inputs), train))
        return prepare(backend, op, inputs, outputs, train, rng)

    ReferenceBackend.prepare = spy
    try:
        with use_backend("numpy"), np.errstate(all="ignore"):
            for case in CASES:
                arrays = [nd.array(a, dtype=a.dtype) for a in case.inputs("float32")]
                for i in case.grad:
                    arrays[i].attach_grad()
                with autograd.record(train_mode=case.train):
                    outputs = getattr(nd, case.op)(*arrays, **case.attrs)
                    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
                    if case.grad:
                        autograd.backward(outputs, [nd.array(head_grad(y.shape, i), dtype=y.dtype)
                                                    for i, y in enumerate(outputs)])
    finally:
        ReferenceBackend.prepare = prepare
    return seen


def kernel_of(op, specs, train):
    """Return the Call, or the reason why there is none."""
    from minigluon_accel import kernels
    if op.dynamic:
        return "its shape depends on values"
    return kernels.find(op, list(specs), infer(op, list(specs)), train, np.random.default_rng(0))


def types_of(op, specs, train):
    """Yields the names of the dtypes other than float32 that an operator's kernels accept, for all inputs or as many as
    possible."""
    for name in DTYPES:
        for typed in with_type(op, specs, np.dtype(name)):
            try:
                found = kernel_of(op, typed, train)
            except Exception:           # the operator does not support this dtype
                continue
            if not isinstance(found, str):
                yield name
                break


def with_type(op, specs, dtype):
    """Yields the Specs with another dtype in place of float32: for all inputs, or for one that determines the others.

    A statistic of float16 data, for instance, is a float32.
    """
    places = [place for place, spec in enumerate(specs) if spec.dtype == np.float32]
    yield [Spec(s.shape, dtype if place in places else s.dtype) for place, s in enumerate(specs)]
    for chosen in places:
        known = [dtype if place == chosen else None if place in places else s.dtype for place, s in enumerate(specs)]
        try:
            found = op.infer_dtype(*known)[0]
        except MXNetError:
            continue
        if None not in found and dtype == np.float16:
            yield [Spec(s.shape, found_type) for s, found_type in zip(specs, found, strict=True)]


if __name__ == "__main__":
    main()
