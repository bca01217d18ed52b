"""Each public name has an example in its docstring, and the examples of the whole package run."""

import importlib

import pytest
from tools.docstrings import failures, listed, modules_with_examples, public_names, without_example


@pytest.fixture(scope="module")
def names():
    return public_names()


@pytest.mark.once
def test_public_names_have_an_example(names):
    missing = without_example(names)
    assert not missing, listed(missing)


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_run(module, names):
    reports = failures(importlib.import_module(module), names)
    assert not reports, "".join(reports)
