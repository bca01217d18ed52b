"""Every row in every type that it takes: the plugin refuses what the reference refuses, and computes what it computes.

Most kernels are for float32 and float64. One that is asked about another type has to decline, also on the way back.
"""

import numpy as np
import pytest
from helpers.rows import run, surrounded

pytest.importorskip("minigluon_accel", reason="minigluon-accel is not installed")

from helpers.accel_checks import BACKEND
from op_cases import CASES

from minigluon import nd
from minigluon.backend import use_backend
from minigluon.backend.forgetting import forget_kernels
from minigluon.base import MXNetError

DTYPES = ["float16", "int32"]           # of all others, those with and without a point
# One row of each operator; float32 and float64 are those of test_accel_agreement.py.
FIRST = {case.op: case for case in reversed(CASES)}


def result(case, dtype):
    """(outputs, gradients, inputs) of a forward and backward pass, or the text of the error."""
    forget_kernels()
    try:
        return run(case, "alone", lambda arrays: surrounded(nd, case, arrays, "alone"), case.inputs(dtype))
    except MXNetError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.rows
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(dtype):
    for case in FIRST.values():
        with use_backend("numpy"):
            wanted = result(case, dtype)
        with use_backend(BACKEND.name):
            found = result(case, dtype)
        if isinstance(wanted, str) or isinstance(found, str):
            assert found == wanted, f"{case.op} in {dtype}"
            continue
        for ours, theirs in zip(sum(found, []), sum(wanted, []), strict=True):
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype), f"{case.op} in {dtype}"
            if ours.dtype.kind != "f":
                np.testing.assert_array_equal(ours, theirs, f"{case.op} in {dtype}")
            elif ours.dtype == "float16":
                np.testing.assert_allclose(ours.astype("f4"), theirs.astype("f4"), 4e-3, 4e-3, err_msg=case.op)
