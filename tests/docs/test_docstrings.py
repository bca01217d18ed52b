"""Each public name has an example in its docstring and explains all of its parameters, and all examples run."""

import importlib
import inspect
import typing

import pytest
from scripts.docstrings import failures, listed, modules_with_examples, public_names, skipped_examples, without_example
from scripts.parameters import how_said, listed_unsaid, parameters_of

from minigluon import nd


@pytest.fixture(scope="module")
def names():
    return public_names()


@pytest.mark.once
def test_public_names_have_an_example(names):
    missing = without_example(names)
    assert not missing, listed(missing)


@pytest.mark.once
def test_examples_that_do_not_run_have_a_reason():
    assert "without a reason" not in skipped_examples()


@pytest.mark.once
def test_every_parameter_is_explained(names):
    """Of all public names."""
    missing = listed_unsaid(names)
    assert not missing, missing


@pytest.mark.once
@pytest.mark.parametrize(("doc", "expected"), [
    ("x: y\n\nsize: how large", "sentence"), ("x\n\nsize, other: z", "sentence"), ("All. size: how large", "sentence"),
    ("x\n\ndata (N,) | size (M,)", "shapes"), ("x\n\nsize like data", "shapes"), ("the size of x", "text"),
    ("x\n\n>>> f(size=1)", ""), ("sizes", ""), (None, ""),
])
def test_how_a_parameter_is_said(doc, expected):
    assert how_said("size", doc) == expected


@pytest.mark.once
def test_an_article_is_no_parameter():
    assert how_said("a", "of a number") == ""
    assert how_said("a", "of `a`") == "text"


@pytest.mark.once
def test_parameters_of_public_names(names):
    found = {item.label: parameters_of(item) for item in names}
    assert found["nd.relu" if "nd.relu" in found else "nd.Relu"] == ["data", "out", "name", "attr"]
    assert found["autograd.record"] == ["train_mode"]
    assert found["gluon.Parameter.set_data"] == ["data"]
    assert found["nd.NDArray.shape"] == []


@pytest.mark.once
def test_signatures_show_types_as_they_are_written(names):
    assert str(inspect.signature(nd.array)) == "(source_array: Any, ctx: Any = None, dtype: Any = None) -> NDArray"
    functions = [function for item in names
                 for function in (vars(item.object).values() if inspect.isclass(item.object) else [item.object])
                 if inspect.isfunction(function)]
    quoted = {function.__qualname__ for function in functions
              for p in inspect.signature(function).parameters.values() if type(p.annotation) is str}
    assert len(functions) > 1000
    assert not quoted, quoted


@pytest.mark.once
def test_annotations_can_be_evaluated():
    assert typing.get_type_hints(nd.array)["return"] is nd.NDArray
    assert inspect.signature(nd.array, eval_str=True).return_annotation is nd.NDArray


@pytest.mark.once
@pytest.mark.parametrize("module", modules_with_examples())
def test_examples_run(module, names):
    reports = failures(importlib.import_module(module), names)
    assert not reports, "".join(reports)
