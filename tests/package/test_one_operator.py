"""`pytest --operator NAME` selects what is about one operator, and imports no file that cannot be."""

import re
import sys

import pytest
from helpers import ROOT, TESTS
from helpers.one_operator import OneOperator, find
from helpers.processes import run_python

pytestmark = pytest.mark.once


def run(name, *arguments, **environment):
    return run_python("-m", "pytest", "--operator", name, "-q", "-p", "no:cacheprovider", *arguments, cwd=ROOT,
                      **environment)


def selected(name):
    """(exit status, {file: its selected tests}, all that was printed)"""
    done = run(name, "--collect-only")
    found = {}
    for file, test in re.findall(r"^(tests/\S+?)::(.+)$", done.stdout, re.MULTILINE):
        found.setdefault(file, []).append(test)
    return done.returncode, found, done.stdout + done.stderr


def test_rows_in_all_ways_and_files_of_the_family():
    status, found, text = selected("FullyConnected")
    assert status == 0, text
    assert {test.partition("[")[0] for test in found["tests/ops/test_ops.py"]} == {
        "test_forward", "test_infer_shape_and_dtype", "test_symbol_infers_what_nd_computes", "test_gradient",
        "test_second_order"}
    assert all("FullyConnected-" in test for test in found["tests/ops/test_ops.py"])
    assert "test_fully_connected_weighs_each_item[True]" in found["tests/ops/nn/test_matrix.py"]
    assert not any("dot" in test for test in found["tests/ops/nn/test_matrix.py"])
    assert {"tests/ops/test_ops_mxnet.py", "tests/ops/test_writers.py", "tests/hybrid/test_hybrid_operators.py"} <= set(
        found)
    if sys.modules.get("minigluon_accel"):
        tests = found["tests/accel/nn/test_accel_matrix.py"]
        assert {"test_fully_connected", "test_gradients_of_fully_connected"} <= set(tests)
        assert "test_gradients_of_dot" not in tests
    assert not any(file.startswith(("tests/gluon", "tests/learn", "tests/docs")) for file in found)


def test_what_is_selected_runs():
    done = run("khatri_rao", MINIGLUON_BACKEND="numpy", MINIGLUON_GPU_REQUIRED="0")
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 20


def test_an_unknown_operator():
    status, _, text = selected("FulyConnected")
    assert status == pytest.ExitCode.USAGE_ERROR
    assert "there is no operator 'FulyConnected'; near it: FullyConnected" in text


def test_names_as_they_are_called():
    assert find("contrib.box_nms") is find("_contrib_box_nms")
    assert find("linalg.gemm2") is find("_linalg_gemm2")


def test_parts_of_gradients_belong_to_their_operator():
    one = OneOperator("FullyConnected", TESTS)
    assert {"FullyConnected", "_fully_connected", "_fully_connected_data_grad"} <= one.names
    assert "dot" not in one.names
    assert "_dot_lhs_grad" in OneOperator("dot", TESTS).names
