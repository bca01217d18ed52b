"""Every case of `op_cases` against what the real MXNet 1.9.1 answered, forward and gradient.

`record_mxnet.py` made the file. MXNet computes float64 inputs in float64 for most operators, so tolerances are tight.
"""


import numpy as np
import pytest
from helpers.op_heads import head_grad
from op_cases import CASES
from records import DATA

from minigluon import autograd, nd

RECORDED = np.load(DATA / "mxnet_ops.npz")
KEYS = set(RECORDED.files)
TOLERANCE = {"float64": 1e-6, "float32": 1e-5, "float16": 2e-3}
LOOSER = {"lamb_update_phase1": 2e-5}       # it computes 1 - beta2**t in float32: 1 - 0.999 keeps five digits


def recorded(case, kind):
    """The recorded arrays of one case: {index: array}."""
    found = {}
    while f"{case.id}/{kind}{len(found)}" in KEYS:
        found[len(found)] = RECORDED[f"{case.id}/{kind}{len(found)}"]
    return found


def as_mxnet_stores(attrs):
    """Most of MXNet's operators keep their numbers as float32, whatever the type of the arrays."""
    return {key: float(np.float32(value)) if isinstance(value, float) else value for key, value in attrs.items()}


COMPARED = [c for c in CASES if f"{c.id}/out0" in KEYS]


def test_at_least_150_operators_are_compared():
    assert len({c.op for c in COMPARED}) >= 150
    assert len({c.op for c in COMPARED if any(f"{c.id}/grad{i}" in KEYS for i in c.grad)}) >= 150


def test_every_case_that_mxnet_can_run_is_recorded():
    missing = [c.id for c in CASES if c.oracle is True and f"{c.id}/out0" not in KEYS]
    assert not missing, "run records.record_mxnet, see tests/README.md"


@pytest.mark.parametrize("case", COMPARED, ids=lambda c: c.id)
def test_same_as_mxnet(case):
    arrays = [nd.array(a, dtype=a.dtype) for a in case.inputs()]
    for i in case.grad:
        arrays[i].attach_grad()
    with autograd.record(train_mode=case.train):
        outputs = getattr(nd, case.op)(*arrays, **as_mxnet_stores(case.attrs))
    outputs = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    expected = recorded(case, "out")
    assert len(outputs) == len(expected)
    tol = LOOSER.get(case.op, TOLERANCE.get(case.dtype, 1e-6))
    for i, y in enumerate(outputs):
        assert y.dtype == expected[i].dtype.type
        assert y.shape == expected[i].shape
        np.testing.assert_allclose(y.asnumpy(), expected[i], rtol=tol, atol=tol, err_msg=f"output {i}")
    if case.grad:
        heads = [nd.array(head_grad(y.shape, i), dtype=y.dtype) for i, y in enumerate(outputs)]
        autograd.backward(outputs, heads, train_mode=case.train)
        for i in case.grad:
            if f"{case.id}/grad{i}" in KEYS:        # MXNet has no gradient for a few
                np.testing.assert_allclose(arrays[i].grad.asnumpy(), RECORDED[f"{case.id}/grad{i}"], rtol=tol,
                                           atol=tol, err_msg=f"gradient of input {i}")
