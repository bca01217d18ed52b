"""Elementwise operators on the GPU: all rows of the table, drawn types, shapes and values, the generated texts."""

import pytest
from gpu_checks import Twin
from minigluon_accel.gpu import kernels
from minigluon_accel.gpu.kernels import channels, convert, elementwise, sources, stretch
from op_cases import CASES
from test_accel_agreement import operators_of

from minigluon.ops import REGISTRY

HERE = {module.__name__ for module in (channels, convert, elementwise, sources, stretch)}
OWN = sorted(name for name, function in kernels.prepared_operators().items()
             if function.__module__ in HERE and name in REGISTRY)
ROWS = [case for case in CASES if REGISTRY[case.op].name in OWN]
DTYPES = ["float32", "float64", "float16", "int32", "int64", "int8", "uint8", "bool"]


def seen_once(calls, seen):
    """Those calls of this file's operators that are not in `seen` yet."""
    for op, arrays, train in calls:
        key = op, train, tuple([(a.shape, a.dtype) for a in arrays])
        if op.name in OWN and key not in seen:
            seen.add(key)
            yield op, arrays, train


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_rows(dtype):
    """Every row of the table of cases, forward, and the operators of its gradients."""
    seen = set()
    for case in ROWS:
        for op, arrays, train in seen_once(operators_of(case, case.inputs(dtype)), seen):
            twin = Twin(op, arrays, train)
            assert twin.declined is None or op.random, (op, twin.declined)
            twin.check()
    assert len(seen) > 300
