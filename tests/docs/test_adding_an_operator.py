"""docs/adding-an-operator.md, step by step on a copy of the repository: the new operator passes the tests it says."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest
from helpers import ROOT, WIDE
from helpers.page_patches import copy_of_the_repository, patches_of
from helpers.processes import PLUGIN

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "adding-an-operator.md"
PATCHES = patches_of(PAGE)
GPU = importlib.util.find_spec("pycuda") is not None


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The copy with all steps taken that are taken by hand; returns (its folder, a function that runs Python there)."""
    root = tmp_path_factory.mktemp("repository")
    copy_of_the_repository(root)
    for patch in PATCHES:
        patch.apply(root)

    def run(*arguments, **environment):
        path = os.pathsep.join([str(root), str(root / "minigluon_accel")])
        done = subprocess.run([sys.executable, *arguments], cwd=root, capture_output=True, text=True, timeout=600,
                              env={**os.environ, "PYTHONPATH": path, "PYTEST_ADDOPTS": "", **environment})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return root, run


def run_tests(run, *files, words, **environment):
    """Run the tests of these files that have these words in their names; returns the names of those that passed."""
    shown = run("-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *files, "-k", words, **environment)
    return re.findall(r"^PASSED (\S+)", shown, re.MULTILINE)


def test_the_page_counts_its_lines():
    lines, files = re.search(r"By hand it is (\d+) lines in (\d+) files", PAGE.read_text(encoding="utf-8")).groups()
    assert (int(lines), int(files)) == (sum(patch.added for patch in PATCHES), len({patch.path for patch in PATCHES}))


def test_the_checklist_names_each_step():
    text = PAGE.read_text(encoding="utf-8")
    steps = re.findall(r"^\| (\d) \|", text, re.MULTILINE)
    assert steps == re.findall(r"^## (\d)\. ", text, re.MULTILINE) == [str(n) for n in range(1, 10)]


def test_the_operator_passes_its_tests(copied):
    root, run = copied
    before = (root / "minigluon" / "ndarray" / "__init__.pyi").read_text(encoding="utf-8")
    run("-m", "minigluon.tools.stubs")
    run("docs/make_onnx.py")
    assert "softshrink" not in before
    assert "def softshrink(" in (root / "minigluon" / "ndarray" / "__init__.pyi").read_text(encoding="utf-8")
    assert "`softshrink`" in (root / "docs" / "onnx.md").read_text(encoding="utf-8")
    passed = run_tests(run, "tests/ops/test_ops.py", "tests/ops/test_stubs.py", "tests/ops/test_messages_operators.py",
                       "tests/onnx/test_export_operators.py", words="softshrink or every or stub or onnx")
    for name in ("test_every_operator_has_a_case", "test_every_operator_is_translated_or_has_a_reason_why_not",
                 "test_the_page_has_these_tables", "[softshrink-0]", "[softshrink-1]"):
        assert any(name in test for test in passed), name
    assert sum("test_onnxruntime_computes_the_same" in test for test in passed) == 3


@pytest.mark.skipif(not PLUGIN, reason="minigluon-accel is not installed")
def test_its_compiled_kernel_agrees_with_it(copied):
    passed = run_tests(copied[1], "tests/accel/test_accel_agreement.py", words="softshrink")
    assert any("softshrink" in test for test in passed)


@pytest.mark.skipif(not PLUGIN or not GPU, reason="needs minigluon-accel and PyCUDA")
def test_its_gpu_kernel_agrees_with_it(copied):
    passed = run_tests(copied[1], "tests/gpu/test_gpu_agreement.py", MINIGLUON_GPU="emulate",
                       words="softshrink or every_operator or operators_family")
    assert {"test_every_operator_has_a_kernel", "test_a_kernel_stands_in_the_module_of_its_operators_family"} < {
        test.rpartition("::")[2] for test in passed}
    assert any("softshrink" in test for test in passed)


@pytest.mark.skipif(not PLUGIN or not WIDE, reason="they are made from all rows: MINIGLUON_TESTS=wide")
def test_the_generated_pages_have_it(copied):
    root, run = copied
    run("docs/make_tables.py")
    assert "softshrink" in (root / "docs" / "operators-accelerated.md").read_text(encoding="utf-8")
