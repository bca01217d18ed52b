"""Checks of a built site, for tests/site and for tests/scripts/check_site.py."""

import functools
import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["MOST_BYTES", "Page", "dead_links", "heavy_pages", "pages_of"]

MOST_BYTES = 500_000            # of a page, without its images


_LINK, _ID, _NAME = (re.compile(rf"""<[a-zA-Z][^<>]*?\s(?:{names})=["']([^"'<>]+)["']""")
                     for names in ("href|src", "id", "name"))
_IMAGE = re.compile(r"<img\b[^<>]*>")


class Page:
    """What a page links to, and what can be linked to in it. The site's generator escapes < and > in text and
    attributes, so that patterns find what a parser finds, in a tenth of its time."""

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        self.path, self.anchors = path, {unescape(name) for name in _ID.findall(text) + _NAME.findall(text)}
        self.links = [unescape(link) for link in _LINK.findall(text)]
        self.images_without_text = [image for image in _IMAGE.findall(text) if not re.search(r"\salt=.[^\"']", image)]


def pages_of(site):
    """{path: Page} of a site's folder."""
    return {path: Page(path) for path in sorted(Path(site).resolve().rglob("*.html")) if "_static" not in path.parts}


def dead_links(pages):
    """(page, link) for links within the site that lead nowhere; other sites are not asked."""
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if parts.scheme not in ("http", "https", "mailto", "data"):
                    yield path, link
                continue
            target = _target(path.parent, parts.path) if parts.path else path
            anchor = unquote(parts.fragment)
            if target is None or (anchor and target in pages and anchor not in pages[target].anchors):
                yield path, link


@functools.cache               # the links of the navigation are on every page of a folder
def _target(folder, link):
    """The file that a link leads to, or None."""
    target = (folder / unquote(link)).resolve()
    return target if target.is_file() else None


def heavy_pages(pages):
    """(page, bytes) of those above MOST_BYTES."""
    return [(path, path.stat().st_size) for path in pages if path.stat().st_size > MOST_BYTES]
