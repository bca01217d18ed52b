"""Chapters as notebooks: valid files, and their cells run in Jupyter's kernel and print what the page says."""

import pytest
from helpers.notebooks import execute
from helpers.pages import CHAPTERS
from scripts.run_doc import blocks_of

pytestmark = pytest.mark.once

chapters = pytest.mark.parametrize("page", CHAPTERS, ids=lambda page: page.stem)


@pytest.fixture
def notebook(page, site):
    return site / "notebooks" / f"{page.stem}.ipynb"


@chapters
def test_notebook_has_the_blocks_of_its_page(page, notebook):
    nbformat = pytest.importorskip("nbformat", reason="the extra `docs` is not installed")
    read = nbformat.read(notebook, as_version=4)
    nbformat.validate(read)
    code = [cell.source for cell in read.cells if cell.cell_type == "code"]
    assert code == [block.text.rstrip("\n") for block in blocks_of(page) if block.language == "python"]
    for cell in read.cells:
        if cell.cell_type == "markdown":
            assert cell.source.count("<details>") == cell.source.count("</details>")


# Pages run as they are in tests/docs. A notebook is something else where processes are started, and where errors name
# lines. scripts/run_notebooks.py runs all.
@pytest.mark.parametrize("page", [page for page in CHAPTERS if page.stem.partition("-")[0] in ("0", "6", "8")],
                         ids=lambda page: page.stem)
def test_notebook_runs(page, notebook, tmp_path):
    pytest.importorskip("nbclient", reason="the extra `test` is not installed")
    assert execute(notebook, tmp_path) == []
