"""Checks of a built site, for tests/site and for tests/scripts/check_site.py."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["MOST_BYTES", "Page", "dead_links", "heavy_pages", "pages_of"]

MOST_BYTES = 500_000            # of a page, without its images


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.anchors, self.images_without_text = path, [], set(), []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        self.links += [attributes[key] for key in ("href", "src") if attributes.get(key)]
        if tag == "img" and not attributes.get("alt"):
            self.images_without_text.append(attributes.get("src"))


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
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in pages and anchor not in pages[target].anchors):
                yield path, link


def heavy_pages(pages):
    """(page, bytes) of those above MOST_BYTES."""
    return [(path, path.stat().st_size) for path in pages if path.stat().st_size > MOST_BYTES]
