"""The site: built without a warning, no link is dead, no page too heavy."""

import pytest
from helpers import ROOT
from helpers.site_checks import dead_links, heavy_pages
from scripts.docstrings import public_names

pytestmark = pytest.mark.once


def test_no_link_is_dead(pages):
    assert [f"{path}: {link}" for path, link in dead_links(pages)] == []


def test_no_page_is_heavy(pages):
    assert heavy_pages(pages) == []


def test_images_have_alternative_texts(pages):
    assert {path: page.images_without_text for path, page in pages.items() if page.images_without_text} == {}


def test_every_chapter_is_there_and_a_notebook(site):
    chapters = [path.stem for path in (ROOT / "docs").glob("[0-9]*-*.md")]
    assert chapters
    for chapter in chapters:
        assert (site / "docs" / f"{chapter}.html").is_file()
        assert (site / "notebooks" / f"{chapter}.ipynb").is_file()


def test_pages_say_their_language(pages):
    chinese = {path for path in pages if path.parent.name == "zh" or path.name.endswith(".zh.html")}
    assert chinese
    said = {path for path in pages if '<html class="no-js" lang="zh"' in path.read_text(encoding="utf-8")}
    assert said == chinese


def test_every_public_name_is_in_the_reference(pages):
    """Operators once for nd and sym, under the shortest of their names; methods and properties with their classes."""
    anchors = {anchor for path, page in pages.items() if "api" in path.parts for anchor in page.anchors}
    missing = [item.label for item in public_names() if item.label not in anchors]
    assert missing == []
