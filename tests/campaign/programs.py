"""Loops, branches, operators in Python and optimizers' steps with shapes and types that do not fit.

What comes of one is what comes of it imperatively on NumPy: an error, or the same arrays and gradients. A graph may
refuse a loop whose states change their shape, which Python's own loop runs.
"""

import random

import numpy as np
from helpers import misfit_programs as programs
from helpers.misfit_checks import close
from helpers.misfits import DTYPES

from minigluon.backend import available

SECONDS = 5.0
IN_CI = 10
SHAPES = [[3, 4], [3], [4], [3, 1], [1], [0, 4], [3, 0], [2, 3, 4], [4, 4]]       # parameters have axes


def case(seed):
    """A program, and two arrays for it, the second often like an item of the first."""
    draw = random.Random(seed)
    arrays = [[draw.choice(SHAPES), draw.choice(["float32"] * 6 + DTYPES)] for _ in range(3)]
    kind = draw.choice(["loop", "loop", "custom", "optimizer"])
    if draw.random() < 0.5:
        arrays[1] = [arrays[0][0][1:] if kind == "loop" else arrays[0][0], arrays[0][1]]
    if draw.random() < 0.5:
        arrays[2] = arrays[0]
    way = draw.choice(["imperative", "hybridized", "bound"])
    if kind == "loop":
        more = {"loop": draw.choice(list(programs.LOOPS)), "body": draw.choice(list(programs.BODIES)), "way": way}
    elif kind == "custom":
        more = {"lie": draw.choice(programs.CUSTOM), "way": way}
    else:
        more = {"optimizer": draw.choice(programs.OPTIMIZERS), "multi_precision": draw.random() < 0.5}
    return {"kind": kind, "arrays": arrays, **more}


def run(case):
    """What differs from the imperative run on NumPy."""
    rng = np.random.default_rng(1)
    arrays = [np.asarray(rng.uniform(-2, 2, shape)).astype(dtype) for shape, dtype in case["arrays"]]
    backend = "accel" if "accel" in available() else "numpy"
    if case["kind"] == "optimizer":
        found, wanted = [programs.stepped(case["optimizer"], *arrays, case["multi_precision"], b)
                         for b in (backend, "numpy")]
        way = "imperative"
    else:
        way, arrays = case["way"], arrays[:2 if case["kind"] == "loop" else 1]
        found, wanted = programs.ran(program_of(case), arrays, way, backend), programs.ran(
            program_of(case), arrays, "imperative", "numpy")
    return difference(case, found, wanted, arrays, way)


def program_of(case):
    """A function (F, *arrays) -> list."""
    if case["kind"] == "loop":
        return lambda F, *xs: programs.LOOPS[case["loop"]](F, case["body"], *xs)
    return lambda F, x: [F.Custom(x, op_type="misfit_liar", lie=case["lie"])]


def difference(case, found, wanted, arrays, way):
    """In words, or None."""
    if isinstance(found, str) and found.startswith("CHANGED"):
        return f"{case}: the weight is changed, although: {found}"
    if isinstance(found, str) and (isinstance(wanted, str) or way != "imperative"):
        return None
    if isinstance(found, str) or isinstance(wanted, str):
        shown = [x if isinstance(x, str) else "no error" for x in (found, wanted)]
        return f"{case}: {shown[0]!r}, but imperatively on NumPy {shown[1]!r}"
    for name, x in found.items():
        if name in wanted:
            try:
                close(x, wanted[name], arrays, f"{case}: {name}")
            except AssertionError as error:
                return str(error)
    return None
