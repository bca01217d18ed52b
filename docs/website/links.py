"""Conversion of links between repository files into links between pages of the site."""

import os
import re
from pathlib import Path, PurePosixPath

__all__ = ["Links"]

FENCE = re.compile(r"(^ *(`{3,})[^\n]*\n.*?^ *\2`*$)", re.MULTILINE | re.DOTALL)
TARGET = re.compile(r"(\]\()([^)\s]+)(\))|((?:src|href)=\")([^\"]+)(\")")


class Links:
    """The locations of the repository's files on the site.

    root: the repository. pages: {path of a Markdown file: path of its page's source}, both relative, with slashes.
    wanted: linked files and folders that are not pages, each of which needs its own page.
    images: images shown on a page.
    """

    def __init__(self, root, pages):
        self.root, self.pages, self.wanted, self.images = Path(root), dict(pages), set(), set()

    def rewrite(self, text, path):
        """Return a page's Markdown, with the links in the file at `path` converted to links within the site."""
        def replaced(match):
            before, target, after = (g for g in match.groups() if g is not None)
            return before + self.target(target, path) + after

        parts = FENCE.split(text)
        # each fence is followed by its backticks, which the inner group has captured
        return "".join(part if i % 3 == 1 else TARGET.sub(replaced, part)
                       for i, part in enumerate(parts) if i % 3 != 2)

    def target(self, target, path):
        """Return the target on the site for a link in the file at `path`."""
        file, _, anchor = target.partition("#")
        if not file or re.match(r"\w+:", file):
            return target
        found = PurePosixPath(os.path.normpath(os.path.join(os.path.dirname(path), file))).as_posix()
        anchor = "#" + anchor if anchor else ""
        if found in self.pages:
            here = os.path.dirname(self.pages[path])
            return os.path.relpath(self.pages[found], here or ".").replace(os.sep, "/") + anchor
        if not (self.root / found).exists():
            return target               # Sphinx complains
        if PurePosixPath(found).suffix in (".svg", ".png"):
            self.images.add(found)
            return os.path.relpath(found, os.path.dirname(self.pages[path]) or ".").replace(os.sep, "/")
        self.wanted.add(found)
        return f"site:{source_page(found)}{anchor}"


def source_page(path):
    """Return the address of the page that shows a file or folder of the repository."""
    return f"source/{path}.html"
