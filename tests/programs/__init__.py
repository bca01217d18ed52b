"""Programs in the manner of the Gluon textbooks, each a function of the library: `run(mx, show)`.

They run in MXNet and in minigluon. `show(label, value)` notes an array, a number, a text or a list of those. Nothing
depends on a generator of random numbers that is not NumPy's RandomState.
"""

import importlib
import math
from pathlib import Path

import numpy as onp

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("[!_]*.py"))
NP_NAMES = sorted(f"np.{path.stem}" for path in (FOLDER / "np").glob("[!_]*.py"))       # programs that use mx.np


def results(name, mx):
    """{label: what the program showed}, in forms that JSON has."""
    found = {}

    def show(label, value):
        assert label not in found
        found[label] = plain(value, mx)

    program = importlib.import_module(f"programs.{name}")
    if name in NP_NAMES:
        mx.npx.set_np()
    try:
        with mx.name.NameManager():         # names count from 0 in each program
            program.run(mx, show)
    finally:
        if name in NP_NAMES:
            mx.npx.reset_np()
    return found


def plain(value, mx):
    """Arrays as {"dtype", "shape", "values"}, those of mx.np with "np"; texts with MXNet's name for the package."""
    if isinstance(value, (list, tuple)):
        return [plain(v, mx) for v in value]
    if isinstance(value, mx.np.ndarray):
        return {"np": True, **plain(value.asnumpy(), mx)}
    if isinstance(value, mx.nd.NDArray):
        value = value.asnumpy()
    if isinstance(value, onp.ndarray):
        values = [float(f"{v:.7g}") for v in value.astype("float64").ravel()]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "values": values}
    if isinstance(value, onp.generic):
        return value.item()
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return str(value).replace("<class 'numpy.float32'>", "float32")     # a parameter's dtype, as MXNet prints some


def differences(found, expected, path="", rel_tol=1e-4, abs_tol=1e-5):
    """Where two results differ: [(path, found, expected)]."""
    more = {"rel_tol": rel_tol, "abs_tol": abs_tol}
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        return [d for key in expected for d in differences(found[key], expected[key], f"{path}/{key}", **more)]
    if isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        pairs = enumerate(zip(found, expected, strict=True))
        return [d for i, (a, b) in pairs for d in differences(a, b, f"{path}[{i}]", **more)]
    if type(found) is type(expected) is float:
        same = math.isclose(found, expected, **more) or math.isnan(found) and math.isnan(expected)
    elif type(expected) is int:                     # x.size is an int that also tells what x.size(0) should be
        same = isinstance(found, int) and not isinstance(found, bool) and found == expected
    else:
        same = type(found) is type(expected) and found == expected
    return [] if same else [(path, found, expected)]
