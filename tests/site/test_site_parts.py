"""The parts of docs/build_site.py: docstrings taken apart, links between files made links between pages."""

import html
import re
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
    text = "[a](../README.md#x) [b](../minigluon/dispatch.py) [c](https://x.org) [d](#here) ![e](images/tape.svg)\n"
    code = "```python\nx[i](../README.md)\n```\n"
    assert links.rewrite(text + code, "docs/3-the-tape.md") == (
        "[a](../index.md#x) [b](site:source/minigluon/dispatch.py.html) [c](https://x.org) [d](#here) "
        "![e](images/tape.svg)\n" + code)
    assert links.wanted == {"minigluon/dispatch.py"}
    assert links.images == {"docs/images/tape.svg"}


def test_source_files_have_the_same_lines_with_colors_and_without(tmp_path):
    """The site that other tests look at is built without colors."""
    from website.sources import write_sources
    path = tmp_path / "a.py"
    path.write_text("def f(x):\n\n    return x < 1      # it's é\n", encoding="utf-8")
    pages = {}
    for plain in (False, True):
        write_sources(tmp_path, ["a.py"], tmp_path / str(plain), plain)
        pages[plain] = (tmp_path / str(plain) / "source" / "a.py.html").read_text(encoding="utf-8")
    assert '<span class="k">return</span>' in pages[False]
    for text in pages.values():
        assert re.findall(r'id="(L-\d)"', text) == ["L-1", "L-2", "L-3"]
    texts = [html.unescape(re.sub(r"<[^>]+>", "", text)).split() for text in pages.values()]
    assert texts[0] == texts[1]


def test_charts_have_the_times_of_the_tables(tmp_path):
    from website.charts import text, write_charts
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "README.md").write_text("""# Measurements

## Nets

| program | library | median | range |
|---|---|---|---|
| x[:, 2] | minigluon | 2 µs | 1 to 3 µs |
| x[:, 2] | torch eager | 0.4 ms | |
| step | mxnet | 1 s | |
""", encoding="utf-8")
    (folder / "zoo.md").write_text("""# Zoo

| program | minigluon | mxnet | torch | / mxnet | / torch |
|---|---|---|---|---|---|
| alexnet forward | 1 ms | 2 ms | 4 ms | 0.50 | 0.25 |
| nasnet forward | 1 ms |  |  |  |  |
""", encoding="utf-8")
    page = text(tmp_path)
    assert r"![Time of one run of x\[:, 2\]: minigluon 2 µs, torch eager 0.4 ms](charts/x-2.svg)" in page
    assert "![Minigluon's time by MXNet's and by PyTorch's: alexnet 0.50 and 0.25](charts/zoo-forward.svg)" in page
    write_charts(tmp_path, tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["step.svg", "x-2.svg", "zoo-forward.svg"]
    bars = re.findall(r'<rect class="k-(\w+)"[^>]* width="([\d.]+)"', (tmp_path / "out" / "x-2.svg").read_text("utf-8"))
    assert bars == [("array", "1.52"), ("ops", "304")]


def test_the_landing_page_runs_and_has_its_numbers(monkeypatch):
    from website.landing import landing_page
    page = landing_page(ROOT, "landing.md", 17)
    assert not re.search(r"\b[A-Z]+_[A-Z]+\b", page)
    bold, chinese = re.compile(r"\*\*([\d.]+)\*\*"), landing_page(ROOT, "landing.zh.md", 17)
    assert sorted(bold.findall(page)) == sorted(bold.findall(chinese))
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    monkeypatch.setattr("minigluon.explain", lambda net, x: None)       # a page in a browser
    scope = {}
    exec(code, scope)
    assert scope["loss"].mean().asscalar() < 0.2


def test_parameters_are_in_the_order_of_the_signature():
    from website.api.docstrings import parse
    from website.api.rest import in_signature_order
    parts = in_signature_order(parse("Sum.\n\nb: two.\na: one.\n\nMore.", ["a", "b"]), ["a", "b"])
    assert [part.name or part.text for part in parts] == ["Sum.", "a", "b", "More."]


def test_first_lines_for_the_table_of_a_page():
    from website.api.pages import first_line
    assert first_line("One\n    sentence.\n\n    More.") == "One sentence."
