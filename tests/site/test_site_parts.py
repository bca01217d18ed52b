"""The parts of docs/build_site.py: docstrings taken apart, links between files made links between pages."""

import sys

import pytest
from helpers import ROOT

pytestmark = pytest.mark.once

DOC = """out = data · weight.

    data (N, K) | weight (K, M)
    with more also mean (M,)
    out  (N, M)

    Nothing else.

    units: how many. More about it
        in a second line.
    flatten, axis: two of them; `units` are a third.

    Raises ShapeError where
    they differ.
    Source: A paper 2015.

    >>> f(1)
    2

    >>> f(2)
    4
    """


@pytest.fixture(autouse=True)
def _website(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "docs"), *sys.path])


def test_parts_of_a_docstring():
    from website.api.docstrings import parse
    found = [(part.kind, part.name, part.text) for part in parse(DOC, ["units", "flatten", "axis"])]
    assert found == [
        ("text", "", "out = data · weight."),
        ("shapes", "", "data (N, K) | weight (K, M) with more also mean (M,) out  (N, M)"),
        ("text", "", "Nothing else."),
        ("parameter", "units", "how many. More about it in a second line."),
        ("parameter", "flatten, axis", "two of them; `units` are a third."),
        ("raises", "", "Raises ShapeError where they differ."),
        ("source", "", "A paper 2015."),
        ("example", "", ">>> f(1) 2  >>> f(2) 4")]


def test_several_parameters_in_a_paragraph():
    from website.api.docstrings import parse
    found = parse("units: size of the output. activation: a name; note: this is no parameter.", ["units", "activation"])
    assert [(part.name, part.text) for part in found] == [
        ("units", "size of the output."), ("activation", "a name; note: this is no parameter.")]


def test_text_is_no_markup():
    from website.api.rest import prose
    assert prose("*x* of `nd.exp` and a_ | b", {"nd.exp": "nd.exp"}) == (
        "\\*x\\* of \\ :py:obj:`nd.exp <nd.exp>`\\  and a\\_ \\| b")


def test_links_between_files_become_links_between_pages():
    from website.links import Links
    links = Links(ROOT, {"README.md": "index.md", "docs/3-the-tape.md": "docs/3-the-tape.md"})
    text = "[a](../README.md#x) [b](../minigluon/tape.py) [c](https://x.org) [d](#here) ![e](images/tape.svg)\n"
    code = "```python\nx[i](../README.md)\n```\n"
    assert links.rewrite(text + code, "docs/3-the-tape.md") == (
        "[a](../index.md#x) [b](site:source/minigluon/tape.py.html) [c](https://x.org) [d](#here) "
        "![e](images/tape.svg)\n" + code)
    assert links.wanted == {"minigluon/tape.py"}
    assert links.images == {"docs/images/tape.svg"}
