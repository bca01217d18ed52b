"""The pages of the documentation, and what a test reads in them."""

import re

from helpers import ROOT

__all__ = ["CHAPTERS", "PAGES", "heading_anchors", "prose"]

PAGES = sorted([*(ROOT / "docs").glob("*.md"),
                *[ROOT / folder / "README.md" for folder in ("", "docs/programs", "tests")]])
CHAPTERS = sorted([page for page in PAGES if page.name[0].isdigit()], key=lambda page: int(page.name.split("-")[0]))


def prose(page):
    """A page without its code blocks."""
    return re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def heading_anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
            for heading in re.findall(r"^#+ (.*)$", prose(page), flags=re.MULTILINE)}
