"""Write docs/accuracy.md: the errors of operators by dtype and backend, next to those of MXNet.

    python tests/scripts/accuracy.py                    needs minigluon-accel; a minute
    python tests/scripts/accuracy.py --mxnet PYTHON     also the errors of MXNet, by the Python that has it
    python tests/scripts/accuracy.py --errors mxnet     what that Python is started with: MXNet's errors as JSON

`tests/helpers/accuracy_rows.py` has the exact results, `tests/ops/test_accuracy.py` the limits.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "helpers"))        # these modules need only NumPy

import accuracy_rows  # noqa: E402

FLOATS = ("float16", "float32", "float64")
SIZES = {1.0: "unchanged", 2.0 ** 70: "2^70", 2.0 ** -70: "2^-70"}
DRAWS = ("random", "_sample", "shuffle")        # operators that draw new numbers in each dtype

HEAD = """# Accuracy

This page lists how large the operators' errors are. [`tests/scripts/accuracy.py`](../tests/scripts/accuracy.py)
measures the errors and writes the page; [a test](../tests/ops/test_accuracy.py) enforces limits for all operators.

## Functions of one number

The largest relative error of the value and of the gradient ("slope"), |result - exact| / |exact|, over about 2,000
inputs per dtype: across the range of the dtype, near 0 and ±1, and between -30 and 30. The exact results are computed
with the widest floating-point type that the processor supports. float32 rounds to 6.0e-08, float64 to 1.1e-16, float16
to 4.9e-04. "Lost" means that no digit is right, for example 0 instead of a small number.

- The gradients of `sigmoid` and `tanh` are computed from their results, y (1 - y) and 1 - y², as in MXNet, so that the
  input need not be kept. Compared with the largest gradient, the error is one rounding; where the function is flat, the
  small gradient loses its digits. The losses that take logits avoid this.
- In the plugin, `gelu` in float32 is a single polynomial, which is inaccurate in the tail below -7, where |gelu| <
  1e-11.
- `arctan` has a gradient of 0 where 1 / (1 + x²) is below the type's normal range.

"""

ROWS_HEAD = """
## All operators

Each row of `tests/op_cases` in float32, compared with float64 for the same inputs: the largest error of a result or a
gradient, divided by the largest number in its array. Operators that draw random numbers are left out. All inputs were
also multiplied by 2^70 and 2^-70, so that their squares exceed the range of float32. The other {count} operators have
errors below 3e-6 at all three sizes on both backends, or no result within float32's range.

| operator | size of the inputs | NumPy | minigluon-accel |
|---|---|---|---|
"""

TAIL = """
Normalizations (`BatchNorm`, `LayerNorm`, `InstanceNorm`, `GroupNorm`, `LRN`) and `Pooling` with `lp` square their
data: from 1e19 on, their float32 results are 0, infinite or NaN, as in MXNet. `norm`, `L2Normalization`, the norms of
LAMB and LARS, and `clip_global_norm` are accurate over the whole range. Remainders depend on the last digit of a
rounded number.

## Sums

Sums over any axes, means, products with a long inner axis, statistics and bias gradients are added up in blocks, and in
blocks of blocks: the error grows with the logarithm of the count. In float32, relative:

| | 10,000 | 1,000,000 | 10,000,000 |
|---|---|---|---|
"""


def function_table(errors):
    """The rows of the first table: errors is {column: {name: {dtype: [value, slope]}}}."""
    columns = [(where, dtype) for where in errors for dtype in FLOATS if where != "MXNet" or dtype == "float32"]
    yield "| function | " + " | ".join(f"{where}, {dtype}" for where, dtype in columns) + " |"
    yield "|---|" + "---|" * len(columns)
    for row in accuracy_rows.ROWS:
        cells = [errors[where].get(row.name, {}).get(dtype) for where, dtype in columns]
        yield f"| `{row.name}` | " + " | ".join(map(pair, cells)) + " |"


def pair(errors):
    return "" if errors is None else " ".join(map(shown, errors))


def shown(error):
    return "-" if error is None else "lost" if error >= 0.9 else "0" if error == 0 else f"{error:.1e}"


def own_errors(backend):
    from helpers.accuracy import function_errors
    return {row.name: {dtype: [error for error, _ in function_errors(row, dtype, backend)] for dtype in FLOATS}
            for row in accuracy_rows.ROWS}


def mxnet_errors():
    """{name: {"float32": [value, slope]}} of MXNet, in the process that has it, without the rows that it refuses."""
    import mxnet as mx
    found = {}
    for row in accuracy_rows.ROWS:
        x = accuracy_rows.numbers("float32")
        x = x[row.takes(x)]
        try:
            data = mx.nd.array(x, dtype="float32")
            data.attach_grad()
            with mx.autograd.record():
                y = row.call(mx.nd, data)
            y.backward()
            value, slope = y.asnumpy(), data.grad.asnumpy()
        except Exception:       # an operator that it does not have, or an error of its own
            continue
        errors = accuracy_rows.errors_of(row, x, value, slope, "float32")
        found[row.name] = {"float32": [error for error, _ in errors]}
    return found


def operators():
    """({(operator, scale): {backend: error}} above the limit, the number of operators that were looked at)."""
    from helpers.accuracy import SCALES, row_errors
    from op_cases import CASES
    worst, names = {}, set()
    for case in CASES:
        if any(word in case.op for word in DRAWS):
            continue
        names.add(case.op)
        for scale in SCALES:
            for backend in ("numpy", "accel"):
                error = row_errors(case, "float32", backend, scale)
                if error is not None:
                    row = worst.setdefault((case.op, scale), {})
                    row[backend] = max(row.get(backend, 0), error)
    return {key: row for key, row in worst.items() if max(row.values()) > 3e-6}, len(names)


def sums():
    """Yield the rows of the table of sums."""
    from minigluon import nd
    from minigluon.backend import use_backend
    number = float(np.float32(0.1))
    for backend in ("numpy", "accel"):
        with use_backend(backend):
            for name, how in (("sum of (n, 2) along axis 0", lambda x: nd.sum(x, axis=0)),
                              ("product (1, n) · (n, 2)", lambda x: nd.dot(nd.ones((1, len(x))), x))):
                cells = [shown(float(np.abs(how(nd.full((n, 2), 0.1)).asnumpy() / (number * n) - 1).max()))
                         for n in (10 ** 4, 10 ** 6, 10 ** 7)]
                yield f"| {name}, {backend} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mxnet", metavar="PYTHON", help="a Python that has MXNet")
    parser.add_argument("--errors", choices=["mxnet"], help="print errors as JSON, and write nothing")
    parser.add_argument("--to", default=str(ROOT / "docs" / "accuracy.md"), help="the page")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    if arguments.errors:
        print(json.dumps(mxnet_errors()))
        return
    sys.path.insert(0, str(ROOT / "tests"))
    errors = {"NumPy": own_errors("numpy"), "accel": own_errors("accel")}
    if arguments.mxnet:
        child = subprocess.run([arguments.mxnet, __file__, "--errors", "mxnet"], stdout=subprocess.PIPE, check=True,
                               text=True)
        errors["MXNet"] = json.loads(child.stdout.splitlines()[-1])
    above, count = operators()
    lines = [HEAD + "\n".join(function_table(errors)), ROWS_HEAD.format(count=count - len({op for op, _ in above}))
             + "\n".join(f"| `{op}` | {SIZES[scale]} | {shown(row.get('numpy'))} | {shown(row.get('accel'))} |"
                         for (op, scale), row in sorted(above.items())),
             TAIL + "\n".join(sums())]
    pathlib.Path(arguments.to).write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
