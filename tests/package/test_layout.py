"""What `ls minigluon` shows, and that modules are found by their public and their earlier names."""

import ast
import importlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import minigluon
from minigluon import homes

pytestmark = pytest.mark.once

ROOT = Path(minigluon.__file__).parent
RECORDED = json.loads((Path(__file__).parents[1] / "records" / "data" / "mxnet_modules.json").read_text())
MOST_ENTRIES = 45


def entries():
    return sorted(path for path in ROOT.iterdir() if path.name != "__pycache__")


def test_the_package_is_seen_at_a_glance():
    assert len(entries()) <= MOST_ENTRIES, [path.name for path in entries()]


@pytest.mark.parametrize("path", entries(), ids=lambda path: path.name)
def test_each_entry_says_in_a_line_what_it_is_for(path):
    if path.name == "py.typed":         # a marker for type checkers, which PEP 561 wants empty
        return
    file = path / "__init__.py" if path.is_dir() else path
    line = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n\n")[0]
    assert line, f"{path.name} has no docstring"


def test_every_module_of_mxnets_that_was_here_is_here():
    """129 of the 246 modules of MXNet 1.9.1; the others are mx.np, its layers, and inner modules."""
    program = "import importlib, json, sys, warnings; warnings.simplefilter('ignore'); import minigluon.as_mxnet\n" \
              "[importlib.import_module(name) for name in json.loads(sys.argv[1])]"
    assert len(RECORDED["here"]) == 129
    subprocess.run([sys.executable, "-c", program, json.dumps(RECORDED["here"])], check=True)


@pytest.mark.parametrize("name", homes.HOMES)
def test_a_module_is_one_object_under_both_names(name):
    module = importlib.import_module(f"minigluon.{name}")
    assert module is importlib.import_module(f"minigluon.{homes.HOMES[name]}")
    assert homes.public_name(module.__name__) == f"minigluon.{name}"
    assert homes.home_of(f"minigluon.{name}") == module.__name__


@pytest.mark.parametrize("name", homes.FORMER)
def test_a_renamed_or_merged_module_is_found_by_its_former_name(name):
    module = importlib.import_module(f"minigluon.{name}")
    assert module is importlib.import_module(f"minigluon.{homes.FORMER[name]}")
    assert homes.public_name(module.__name__) != f"minigluon.{name}"


def test_so_are_the_modules_inside():
    from minigluon.module.base_module import BaseModule
    assert BaseModule is importlib.import_module("minigluon.legacy.module.base_module").BaseModule


def test_pickles_that_name_earlier_modules_load():
    old = b"cminigluon.contrib.text.vocab\nVocabulary\n."
    assert pickle.loads(old) is minigluon.contrib.text.vocab.Vocabulary


def test_a_home_that_is_not_there_is_an_ordinary_import_error():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'minigluon\.legacy\.module\.absent'"):
        importlib.import_module("minigluon.module.absent")


def test_signposts_are_never_run():
    """`minigluon/module.py` is for readers and type checkers; an import of that name is sent to its home."""
    for path in entries():
        if path.suffix == ".py" and path.stem in homes.HOMES:
            home = homes.HOMES[path.stem]
            assert f"from .{home} import *" in path.read_text(encoding="utf-8")
            assert Path(importlib.import_module(f"minigluon.{path.stem}").__file__) != path
