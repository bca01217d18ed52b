"""The programs of docs/programs run in their small form, and the page there lists them all."""

import ast
import re

import pytest
from helpers import ROOT
from helpers.processes import run_python

pytestmark = pytest.mark.once

FOLDER = ROOT / "docs" / "programs"
PROGRAMS = sorted(FOLDER.glob("[!_]*.py"))

# What a program needs beside NumPy and what the tests have anyway.
NEEDS = {"data_parallel_mpi": ["mpi4py"]}

each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)


@each_program
def test_program_learns(program, tmp_path):
    for module in NEEDS.get(program.stem, []):
        pytest.importorskip(module, reason=f"{program.name} needs {module}")
    result = run_python(program, "--small", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@each_program
def test_program_has_a_doc_and_ends_in_an_assert(program):
    tree = ast.parse(program.read_text(encoding="utf-8"))
    assert ast.get_docstring(tree)
    main, = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "main"]
    assert any(isinstance(node, ast.Assert) for node in ast.walk(main)), "main has no assert"


def test_the_page_lists_every_program():
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \[(\w+\.py)\]\(\1\)", page, re.MULTILINE) == [path.name for path in PROGRAMS]
