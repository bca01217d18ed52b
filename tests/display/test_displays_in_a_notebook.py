"""Every display in one notebook: executed as Jupyter does it, converted by nbconvert, and opened in Chromium.

MINIGLUON_SCREENSHOTS names a folder for pictures, of two widths in both themes. tests/scripts/check_displays.py makes
them with nets that are really measured.
"""

import os
from pathlib import Path

import pytest
from helpers.displays import THEMES, WIDTHS, executed, html_of, look
from helpers.site_browser import BROWSER, DRIVER, SiteBrowser

pytestmark = pytest.mark.once

PICTURES = os.environ.get("MINIGLUON_SCREENSHOTS")
VIEWS = [(theme, width) for theme in THEMES for width in WIDTHS] if PICTURES else [("light", 420), ("dark", 1200)]

# What the cells show, in order; None for the one of the asserts.
CELLS = ["NDArray", "NDArray", "RowSparseNDArray", "HybridSequential", "HybridSequential", "ParameterDict", "Parameter",
         "Trainer", "CompositeEvalMetric", "graph", "explained in", "Times of 2 programs", "HybridSequential", None]


@pytest.fixture(scope="module")
def notebook(tmp_path_factory):
    for module in ("nbclient", "nbconvert", "nbformat", "jinja2", "matplotlib", "rich"):
        pytest.importorskip(module, reason="the extra `test` is not installed")
    return executed(tmp_path_factory.mktemp("kernel"))


def test_each_cell_has_its_display(notebook):
    shown = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert len(shown) == len(CELLS)
    for outputs, wanted in zip(shown, CELLS):
        assert len(outputs) == (wanted is not None)
        for output in outputs:
            assert output.output_type == "execute_result"
            assert output.data["text/plain"]
            kind = "image/svg+xml" if wanted == "graph" else "text/html"
            assert kind in output.data
            assert wanted == "graph" or wanted in output.data["text/html"]
    measured = shown[CELLS.index("Times of 2 programs")][0].data["text/html"]
    assert "a &lt;processor&gt;" in measured
    assert measured.count('src="data:image/png;base64,') == 1


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium or chromedriver is not installed")
def test_in_a_browser(notebook, tmp_path):
    found = []
    with SiteBrowser(tmp_path, tmp_path / "profile") as browser:
        for theme, width in VIEWS:
            page = f"displays-{theme}"
            (tmp_path / f"{page}.html").write_text(html_of(notebook, theme), encoding="utf-8")
            found += look(browser, page, width, theme, PICTURES and Path(PICTURES, f"{page}-{width}.png"))
        layer = browser.driver.find_element("xpath", "//li/details[summary/b='Conv2D']")
        inside, head = layer.find_element("tag name", "table"), layer.find_element("tag name", "summary")
        states = [inside.is_displayed()]
        for _ in range(2):
            head.click()
            states.append(inside.is_displayed())
    assert found == []
    assert states == [False, True, False]
