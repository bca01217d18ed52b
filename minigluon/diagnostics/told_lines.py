"""The text about a line of the program, for messages."""

import linecache
import os
import sys
from typing import Any

from .source_lines import SourceLine

__all__ = ["line_text"]


def line_text(place: SourceLine) -> str:
    """Return a string such as 'net.py:12: return F.dot(x, y)', with the file relative to the current folder."""
    file, line = place
    text = linecache.getline(file, line).strip()
    return f"{_named(file)}:{line}" + (f": {text}" if text else "")


def _named(file: str) -> str:
    """Return a file's shortest name; for a cell of a notebook, IPython's name for it."""
    if "IPython" in sys.modules:
        shell: Any = sys.modules["IPython"].get_ipython()
        cell: Any = shell and getattr(shell.compile, "format_code_name", lambda _: None)(file)
        if cell:
            return " ".join(cell)
    folder = os.getcwd() + os.sep
    return file[len(folder):] if file.startswith(folder) else file
