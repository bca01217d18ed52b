"""Every display in one notebook: executed as Jupyter does it, converted by nbconvert, and opened in Chromium.

Pictures of two widths in both themes, and nets that are really measured: tests/tools/check_displays.py.
"""

import pytest
from helpers.displays import executed, html_of, look
from helpers.site_browser import BROWSER, DRIVER, SiteBrowser

pytestmark = pytest.mark.once

# What the cells show, in order; None for the one of the asserts.
CELLS = ["NDArray", "NDArray", "RowSparseNDArray", "HybridSequential", "HybridSequential", "ParameterDict", "Parameter",
         "Trainer", "CompositeEvalMetric", "graph", "explained in", "HybridSequential", None, "Times of 2 programs"]


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


@pytest.mark.skipif(not (BROWSER and DRIVER), reason="chromium or chromedriver is not installed")
def test_in_a_browser(notebook, tmp_path):
    found = []
    with SiteBrowser(tmp_path, tmp_path / "profile") as browser:
        for theme, width in (("light", 420), ("dark", 1200)):
            (tmp_path / f"{theme}.html").write_text(html_of(notebook, theme), encoding="utf-8")
            found += look(browser, theme, width, theme)
        layer = browser.driver.find_element("xpath", "//li/details[summary/b='Conv2D']")
        inside, head = layer.find_element("tag name", "table"), layer.find_element("tag name", "summary")
        states = [inside.is_displayed()]
        for _ in range(2):
            head.click()
            states.append(inside.is_displayed())
    assert found == []
    assert states == [False, True, False]
