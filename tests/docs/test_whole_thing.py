"""Chapter 0: its size, that it can be pasted into an interpreter, and its table of what is where in minigluon."""

import ast
import codeop
import re

import pytest
from helpers import ROOT
from scripts.run_doc import blocks_of

pytestmark = pytest.mark.once

PAGE = ROOT / "docs" / "0-the-whole-thing.md"
MOST_LINES = 300
TABLE, EXERCISES = "\n## Where it is in minigluon\n", "\n## Exercises\n"


def framework():
    """The chapter's blocks of Python that are not exercises."""
    end = PAGE.read_text(encoding="utf-8").partition(EXERCISES)[0].count("\n")
    return [block for block in blocks_of(PAGE) if block.language == "python" and block.line < end]


def defined():
    """Names of the chapter's code: of variables, functions, classes, and of methods behind that of their class."""
    names = set()
    for node in ast.parse("".join(block.text for block in framework())).body:
        if isinstance(node, ast.ClassDef):
            names.add(node.name)
            names |= {f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef)}
        elif isinstance(node, ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names |= {target.id for target in ast.walk(node) if isinstance(target, ast.Name)}
    return names


def docstring_lines(text):
    """The numbers of the lines that are docstrings."""
    documented = [node for node in ast.walk(ast.parse(text)) if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    strings = [node.body[0] for node in documented if ast.get_docstring(node) is not None]
    return {line for node in strings for line in range(node.lineno, node.end_lineno + 1)}


def test_framework_has_at_most_300_lines():
    """All lines of Python before the exercises, checks and training included; not docstrings, not blank lines."""
    count = sum(bool(line.strip()) and number not in docstring_lines(block.text)
                for block in framework() for number, line in enumerate(block.text.splitlines(), start=1))
    assert MOST_LINES - 20 < count <= MOST_LINES


def test_framework_needs_numpy_and_the_digits_alone():
    found = [node for block in framework() for node in ast.walk(ast.parse(block.text))]
    imported = {alias.name for node in found if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in found if isinstance(node, ast.ImportFrom)}
    assert imported == {"numpy", "contextlib", "time", "sklearn.datasets"}


def test_blocks_can_be_pasted_into_an_interpreter():
    """Where a blank line ends a class or a function: none is inside of one, and one is behind each."""
    for block in blocks_of(PAGE):
        if block.language == "python":
            statement, compiled = [], codeop.CommandCompiler()
            for line in [*block.text.splitlines(), ""]:
                statement.append(line)
                if compiled("\n".join(statement), f"{PAGE.name}, from line {block.line}", "single") is not None:
                    statement = []
            assert statement in ([], [""]), f"line {block.line}: a statement is not finished"


def test_table_names_what_the_chapter_defines():
    """What the right column names is looked up in the source by test_docs.py."""
    table = PAGE.read_text(encoding="utf-8").partition(TABLE)[2].partition(EXERCISES)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()
            if line.startswith("| `")]
    link = r"\[`\w+`\]\(\.\./minigluon/[\w/]+\.py\)"
    here = [name for left, _, _ in rows for name in re.findall(r"`([\w.]+)`", left)]
    assert set(here) <= defined(), f"the chapter does not define {set(here) - defined()}"
    assert len(here) == len(set(here))
    for left, there, reason in rows:
        assert re.fullmatch(f"{link}(, {link})*", there), left
        assert len(reason.split()) > 3, left


def test_table_leaves_out_no_part():
    """Every class and function that is a part of a framework, and no operator or example, has its row."""
    text = PAGE.read_text(encoding="utf-8")
    left_column = "".join(re.findall(r"^\| (`[^|]*)\|", text.partition(TABLE)[2], re.MULTILINE))
    classes = {"exp", "transpose", "add", "mul", "constant", "relu", "sign", "sum_", "Net", "Dense"}
    examples = {"f", "tape_step", "seconds"}
    tops = [node.name for block in framework() for node in ast.parse(block.text).body
            if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    assert set(tops) - classes - examples <= set(re.findall(r"`(\w+)`", left_column))
