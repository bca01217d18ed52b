"""The result of `mx.explain`: the path of its page, which a notebook displays as the page itself."""

from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ...display.page import code, dim, framed
from .text import bytes_text

__all__ = ["ExplainedPage"]

LARGEST = 8_000_000     # the maximum number of bytes, because a notebook file stores everything that it displays
HEIGHT = 720            # the height of the frame in the cell, in pixels


class ExplainedPage(str):
    """The path of a page that `mx.explain` has written. `text` is the page's content, and `differences`
    says what differs from another net, if one was given.

    >>> net = nn.Dense(1, in_units=2)
    >>> net.initialize()
    >>> page = mx.explain(net, nd.ones((1, 2)), path="dense.html")
    >>> page == "dense.html", page.path, page.text.startswith("<!DOCTYPE html>")
    (True, 'dense.html', True)
    """

    def __new__(cls, path: str, text: str, differences: str = "") -> Any:
        page = super().__new__(cls, path)
        page.text, page.differences = text, differences
        return page

    def __getnewargs__(self):
        return str(self), self.text, self.differences

    @property
    def path(self):
        """The path as a plain string."""
        return str(self)

    def _repr_html_(self):
        """Return the page in a separate frame, so that its style and script do not affect the notebook."""
        link = f'<a href="{escape(_address(Path(self)))}" target="_blank">open in a browser</a>'
        where = f"<div>{dim('explained in')} {code(self)}, {link}</div>"
        size = len(self.text.encode())
        if size > LARGEST:
            return framed(where, f"<div>{bytes_text(size)} is too large for a cell.</div>")
        return framed(where, f'<iframe title="{escape(str(self))}, explained" sandbox="allow-scripts" '
                             f'style="width: 100%; height: {HEIGHT}px; border: 1px solid rgba(128, 128, 128, .4); '
                             'box-sizing: border-box" '
                             f'srcdoc="{escape(self.text)}"></iframe>')


def _address(path):
    """Return the address of a file for a link: relative if it is below the working folder, because a notebook's browser
    may open files of the server, but not of the disk."""
    path, folder = path.absolute(), Path.cwd()
    return quote(path.relative_to(folder).as_posix()) if path.is_relative_to(folder) else path.as_uri()
