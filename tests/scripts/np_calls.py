"""Calls of `mx.np` and `mx.npx` in the real MXNet 1.9.1 and here: values, shapes, types, kinds of results and texts.

    python tests/scripts/np_calls.py --mxnet /tmp/mx/bin/python

A call with `x`, `v`, `s` or `c` is run for eight types of their elements. A call that fails in MXNet is only counted.
Differences that docs/np.md explains are in ROWS; the others are printed.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

FOLDER = Path(__file__).parent
TYPES = ("float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool")
ARRAYS = {"x": [[1, 2, 3, 0], [2, 1, 1, 3]], "v": [0, 1, 2, 3], "s": [[2, 1], [1, 3]], "c": [1, 2, 3]}
# row of docs/np.md: the calls
ROWS = {
    "types": r"np\.(average|copysign|ldexp|interp|trapz|linalg\.eigvalsh|percentile|quantile|nancumsum)\(",
    "var, std": r"(np|x)\.(var|std)\(", "boolean < 2": r"x<2", "integers": r"np\.linalg\.norm\(",
    "numpy's functions": r"np\.(nan\w+|ptp|linalg\.matrix_rank|histogram)\(", "round": r"np\.(rint|round)\(",
    "pad": r"np\.pad\(.*constant_values", "booleans": r"np\.(bitwise_or\(v,3|einsum\(|lcm\(|where\(x>1,x,0)"}


def calls():
    """Return [(type or None, expression)]."""
    lines = (FOLDER / "np_calls.txt").read_text(encoding="utf-8").splitlines()
    return [(dtype, line) for line in lines
            for dtype in (TYPES if re.search(r"\b[xvsc]\b", re.sub(r"'.*?'|lambda.*?:", "", line)) else [None])]


def described(value, mx, onp):
    """Return a result in forms that JSON has."""
    if isinstance(value, (list, tuple)):
        return [described(part, mx, onp) for part in value]
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, (mx.nd.NDArray, onp.ndarray, onp.generic)):
        kind = "np" if isinstance(value, mx.np.ndarray) else type(value).__name__
        array = value.asnumpy() if isinstance(value, mx.nd.NDArray) else onp.asarray(value)
        return [kind, array.dtype.name, list(array.shape), onp.round(array.astype("float64"), 3).ravel().tolist()]
    return str(value)


def results(mx):
    """Return {type and expression: the result or the error}."""
    import numpy as onp
    np, npx = mx.np, mx.npx
    npx.set_np()
    warnings.simplefilter("ignore")
    names = {"np": np, "npx": npx, "mx": mx, "onp": onp, "nd": mx.nd, "gluon": mx.gluon, "nn": mx.gluon.nn}
    found = {}
    for dtype, call in calls():
        arrays = {name: np.array(onp.array(a).astype(dtype)) for name, a in ARRAYS.items()} if dtype else {}
        try:
            found[f"{dtype} {call}"] = described(eval(call, {**names, **arrays}), mx, onp)
        except Exception as error:
            found[f"{dtype} {call}"] = f"error: {type(error).__name__}: {error}"
    return found


def are_equal(first, second):
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(map(are_equal, first, second))
    if {type(first), type(second)} <= {int, float}:
        return math.isclose(first, second, rel_tol=2e-3, abs_tol=2e-3) or first != first and second != second
    return first == second


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mxnet", required=True, help="Python with the real MXNet, or - to print its results")
    options = parser.parse_args()
    if options.mxnet == "-":
        import mxnet
        print(json.dumps(results(mxnet)))
        return 0
    import minigluon
    run = subprocess.run([options.mxnet, __file__, "--mxnet", "-"], capture_output=True, text=True, check=True,
                         env={**os.environ, "MXNET_ENGINE_TYPE": "NaiveEngine", "PYTHONPATH": ""})
    theirs, mine = json.loads(run.stdout.splitlines()[-1]), results(minigluon)
    failing = sum(str(value).startswith("error: ") for value in theirs.values())
    explained, others = 0, 0
    for key, expected in theirs.items():
        if str(expected).startswith("error: ") or are_equal(mine[key], expected):
            continue
        row = next((row for row, pattern in ROWS.items() if re.match(pattern, key.partition(" ")[2])), None)
        explained, others = explained + (row is not None), others + (row is None)
        if row is None:
            print(f"{key}\n    here  {str(mine[key])[:200]}\n    MXNet {str(expected)[:200]}")
    print(f"{len(theirs)} calls: {failing} fail in MXNet, {explained} differ as docs/np.md explains, "
          f"{others} differ otherwise")
    return bool(others)


if __name__ == "__main__":
    sys.exit(main())
