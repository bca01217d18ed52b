"""Displays of objects in a notebook: the notebook of docs/notebooks.md executed, and as a page in a browser."""

import json
import re
import sys

from helpers import ROOT
from helpers.processes import environment

__all__ = ["THEMES", "WIDTHS", "executed", "html_of", "look"]

# For axe-core. Explain's page is looked at by its own tests.
OURS = {"include": [[".mg-out"]], "exclude": [["iframe"]]}
PAGE = ROOT / "docs" / "notebooks.md"
THEMES, WIDTHS = ("light", "dark"), (1200, 420)

# A measurement of some programs, as `run` gives it; the numbers are made up.
REPORT = """
import json
from minigluon.tools.bench.report import Report

Report(json.loads('''{}'''))
"""


def report():
    """A report of two programs, with numbers that were not measured."""
    rows = [{"program": program, "library": "minigluon", "mode": mode, "seconds": [t, t], "median": t, "low": t,
             "high": t, "of_imperative": t / first, "hybridized_of_this": last / t, "resident_bytes": None,
             "peak_bytes": 4_000, "kept_bytes": 2_000, "planned_bytes": 0, "kernels": 5}
            for program, first, last in (("mlp forward", 1e-4, 5e-5), ("lenet forward", 2e-3, 1e-3))
            for mode, t in (("imperative", first), ("hybridized", last))]
    machine = {"processor": "a <processor>", "cores": 2, "system": "Linux-6", "python": "3.12", "blas": "openblas",
               "load_before": 0.1, "load_after": 0.2}
    return {"format": 1, "date": "2026-01-01T00:00:00", "machine": machine, "libraries": {"minigluon": "minigluon 1"},
            "settings": {"threads": 1, "clock": "wall", "quick": True}, "rows": rows, "left_out": []}


def executed(folder, measure=False):
    """The page's notebook, executed in `folder`.

    measure: are nets really measured in it, as the page writes? Else a report without a measurement is shown.
    """
    from nbclient import NotebookClient
    from nbformat.v4 import new_code_cell, new_markdown_cell
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        from website.notebooks import notebook_of
    finally:
        sys.path.remove(str(ROOT / "docs"))
    notebook = notebook_of(PAGE)
    for number, cell in enumerate(notebook.cells):
        before, run, after = re.fullmatch(r"(.*?)(?:```python3\n(.*?)```(.*))?", cell.source, re.DOTALL).groups()
        if run and cell.cell_type == "markdown":            # the measurement, which the page does not run
            run = run.strip() if measure else REPORT.format(json.dumps(report())).strip()
            notebook.cells[number:number + 1] = [new_markdown_cell(before), new_code_cell(run),
                                                 new_markdown_cell(after)]
            break
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute(env={**environment(), "IPYTHONDIR": str(folder), "PYDEVD_DISABLE_FILE_VALIDATION": "1"})
    return notebook


def html_of(notebook, theme):
    """The page that `jupyter nbconvert --to html` makes. theme: one of THEMES."""
    from nbconvert import HTMLExporter
    text, _ = HTMLExporter(theme=theme).from_notebook_node(notebook)
    return text


def look(browser, page, width, scheme, picture=None):
    """What is wrong with the displays on a page of a SiteBrowser, as texts. picture: a file for a screenshot."""
    browser.open(page, width, scheme)
    where, found = f"{page} at {width}, {scheme}", []
    wide = browser.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
    if wide > 0:
        found.append(f"{where}: {wide} pixels wider than the window")
    if picture:
        height = browser.driver.execute_script("return document.documentElement.scrollHeight")
        picture.parent.mkdir(parents=True, exist_ok=True)
        browser.resize(width, height)
        browser.driver.execute_async_script("setTimeout(arguments[0], 500)")      # the frame of explain is painted
        browser.driver.save_screenshot(str(picture))
        browser.resize(width)
    found += [f"{where}: contrast {ratio:.1f} of {text!r}" for text, ratio in browser.driver.execute_script(CONTRAST)]
    return found + [f"{where}: {finding}" for finding in browser.axe(OURS)]


# Texts of the displays whose contrast is below 4.5 to 1, as the accessibility guidelines ask (WCAG 2.1, 1.4.3).
CONTRAST = """
const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const painted = (colors) => {           // one over the other, from below
  context.globalAlpha = 1; context.fillStyle = "white"; context.fillRect(0, 0, 1, 1);
  for (const [color, alpha] of colors) { context.globalAlpha = alpha; context.fillStyle = color;
                                         context.fillRect(0, 0, 1, 1); }
  return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
};
const light = (rgb) => rgb.map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const found = [];
for (const element of document.querySelectorAll(".mg-out *")) {
  const text = [...element.childNodes].filter(n => n.nodeType === 3).map(n => n.data.trim()).join("");
  if (!text || element.closest("style, iframe") || !element.checkVisibility()) continue;
  const grounds = []; let alpha = 1;
  for (let e = element; e; e = e.parentElement) {
    grounds.unshift([getComputedStyle(e).backgroundColor, 1]);
    alpha *= Number(getComputedStyle(e).opacity);
  }
  const below = painted(grounds), above = painted([...grounds, [getComputedStyle(element).color, alpha]]);
  const [x, y] = [light(below), light(above)].sort((p, q) => q - p);
  if ((x + 0.05) / (y + 0.05) < 4.5) found.push([text.slice(0, 40), (x + 0.05) / (y + 0.05)]);
}
return found.slice(0, 10);
"""
