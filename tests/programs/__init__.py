"""Programs in the manner of the Gluon textbooks, each a function of the library: `run(mx, show)`.

They run in MXNet and in minigluon. `show(label, value)` notes an array, a number, a text or a list of those. Nothing
depends on a generator of random numbers that is not NumPy's RandomState.
"""

import importlib
from pathlib import Path

import numpy as np

NAMES = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))


def results(name, mx):
    """{label: what the program showed}, in forms that JSON has."""
    found = {}

    def show(label, value):
        assert label not in found
        found[label] = plain(value, mx)

    with mx.name.NameManager():         # names count from 0 in each program
        importlib.import_module(f"programs.{name}").run(mx, show)
    return found


def plain(value, mx):
    """Arrays as {"dtype", "shape", "values"}; texts with MXNet's name for the package."""
    if isinstance(value, (list, tuple)):
        return [plain(v, mx) for v in value]
    if isinstance(value, mx.nd.NDArray):
        value = value.asnumpy()
    if isinstance(value, np.ndarray):
        values = [float(f"{v:.7g}") for v in value.astype("float64").ravel()]
        return {"dtype": value.dtype.name, "shape": list(value.shape), "values": values}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (bool, int, float)) or value is None:
        return value
    return str(value).replace("<class 'numpy.float32'>", "float32")     # a parameter's dtype, as MXNet prints some
