"""Every operator in a plan computes what it computes imperatively: values, gradients, what it overwrites."""

import numpy as np
import pytest
from helpers.rows import run, surrounded
from op_cases import CASES

from minigluon import nd
from minigluon import symbol as sym
from minigluon.hybrid import CachedOp
from minigluon.ops import REGISTRY

# Between other operators, an operand lies in planned memory, which other values use before and after it.
SETTINGS = ["alone", "between"]


def suits(case, setting):
    if case.op == "reset_arrays":       # there is no result that a graph could lead to
        return False
    if setting == "alone":
        return True
    return not REGISTRY[case.op].mutates and all(a.dtype.kind == "f" for a in case.inputs()) and len(case.inputs()) > 0


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.id)
def test_in_a_plan(case):
    for setting in SETTINGS:
        if suits(case, setting):
            check(case, setting)


def check(case, setting):
    arrays = case.inputs()
    names = [f"in{i}" for i in range(len(arrays))]
    graph = sym.Group(surrounded(sym, case, [sym.var(n) for n in names], setting))
    op = CachedOp(graph, names)
    wanted = run(case, setting, lambda xs: surrounded(nd, case, xs, setting), arrays)
    for attempt in range(2):            # the second time in memory that the first has left as it was
        found = run(case, setting, lambda xs: op(xs), arrays)
        for kind, ours, theirs in zip(("outputs", "gradients", "inputs afterwards"), found, wanted, strict=True):
            for index, (y, expected) in enumerate(zip(ours, theirs, strict=True)):
                what = f"{setting}: {kind} {index}, attempt {attempt}"
                assert (y.shape, y.dtype) == (expected.shape, expected.dtype), what
                tolerance = {"rtol": 1e-5, "atol": 1e-6} if y.dtype.kind == "f" else {"rtol": 0}
                if y.dtype == np.float16:
                    tolerance = {"rtol": 1e-2, "atol": 1e-2}
                np.testing.assert_allclose(y, expected, err_msg=what, **tolerance)
