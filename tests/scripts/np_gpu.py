"""Functions and programs of `mx.np` on the GPU, which is emulated if there is no driver, compared with the CPU.

    python tests/scripts/np_gpu.py [--types float32 bool ...] [--programs lenet ...] [NAME ...]

Without names, all functions of the table run, with gradients for floats. It prints each difference, and the operators
that ran on the host because the GPU has no kernel for them.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from helpers import gpu_choice  # noqa: E402, I001 - first: it chooses the GPU

import numpy as onp  # noqa: E402
from helpers.numpy_rows import NAMES, WITHOUT_GRADIENT, arrays_for, flat  # noqa: E402
from programs import NP_NAMES, differences, results  # noqa: E402

import minigluon as mx  # noqa: E402
from minigluon import autograd, dispatch, np, npx  # noqa: E402
from minigluon.base import MXNetError  # noqa: E402
from minigluon.numpy.namespace import lookup  # noqa: E402

assert gpu_choice.GPU
# Results that are not determined; eigenvectors of equal eigenvalues, which integers have here.
OPEN = {("empty_like", dtype) for dtype in ("float32", "float64", "int32", "bool")} | {
    ("linalg.eigh", "int32"), ("linalg.eigh", "bool")}


def outcome(name, dtype, ctx):
    """Return a function's results and gradients, or the text of its error."""
    arrays, call = arrays_for(name, len(name))
    if name == "take":
        arrays.append(onp.array([2, 0]))
        call = lambda function, xs: function(*xs, axis=0)
    given = [np.array(a if name == "take" and i else (3 * a).astype(dtype), ctx=ctx) for i, a in enumerate(arrays)]
    is_differentiated = dtype == "float32" and name not in WITHOUT_GRADIENT
    if is_differentiated:
        for x in given:
            if x.dtype == dtype:
                x.attach_grad()
    try:
        with autograd.record() if is_differentiated else autograd.pause():
            made = flat(call(lookup(name), given))
        wrong = [y.ctx for y in made if y.ctx != ctx]
        if is_differentiated and made[0].dtype == dtype and made[0].entry is not None:
            autograd.backward([y for y in made if y.dtype == dtype])
            made += [x.grad for x in given if x.grad is not None]
        return wrong or [y.asnumpy() for y in made]
    except MXNetError as error:
        return f"{type(error).__name__}: {error}"


def are_equal(first, second):
    """Return whether two outcomes are the same, up to rounding. An infinity or NaN has no value as an integer."""
    if isinstance(first, str) or isinstance(second, str) or len(first) != len(second):
        return isinstance(first, str) and isinstance(second, str)
    return all(a.dtype == b.dtype and a.shape == b.shape and (
        onp.isclose(a, b, 1e-3, 1e-4, equal_nan=True) | (a == onp.int32(-2 ** 31) if a.dtype == "int32" else False)
        ).all() for a, b in zip(first, second, strict=True))


def compare(names, types):
    """Print and return the differences of functions, and the operators without a kernel."""
    different, before = [], Counter(dispatch.declined)
    for dtype in types:
        for name in names:
            cpu, gpu = (outcome(name, dtype, ctx) for ctx in (mx.cpu(), mx.gpu(0)))
            if (name, dtype) not in OPEN and not are_equal(cpu, gpu):
                different.append((name, dtype))
                print(f"{name} of {dtype}: CPU {str(cpu)[:200]}\n    GPU {str(gpu)[:300]}", flush=True)
    return different, {key: n for key, n in (Counter(dispatch.declined) - before).items() if key[1] == "gpu"}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--types", nargs="*", default=["float32", "int32", "bool"])
    parser.add_argument("--programs", nargs="*", default=[])
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    start, names = time.time(), options.names or ([] if options.programs else NAMES)
    npx.set_np()
    different, declined = compare(names, options.types)
    npx.reset_np()
    for program in [f"np.{name}" for name in options.programs]:
        assert program in NP_NAMES, program
        expected = results(program, mx)
        with mx.gpu(0), patch.object(mx, "cpu", mx.gpu), patch.object(npx, "cpu", mx.gpu):
            try:
                found = differences(results(program, mx), expected, rel_tol=1e-3, abs_tol=1e-4)
            except Exception as error:
                found = [repr(error)]
        different += [program] * bool(found)
        print(program, found[:3] or "is equal", flush=True)
    print("on the host:", declined)
    print(f"{len(names)} functions of {len(options.types)} types and {len(options.programs)} programs, "
          f"{len(different)} differ, {time.time() - start:.0f} s")
    return bool(different)


if __name__ == "__main__":
    sys.exit(main())
