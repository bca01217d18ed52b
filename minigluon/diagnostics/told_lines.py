"""The location of an error, for messages: the node of a graph, and the text of the program's line."""

import linecache
import os
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from ..base import MXNetError, ShapeError
from .source_lines import SourceLine

__all__ = ["add_location", "add_place_of_shape", "line_text"]

Error = TypeVar("Error", bound=MXNetError)


def add_location(error: Error, node: Any) -> Error:
    """Add to an error the node where it occurred and the line that created the node; return the error."""
    if not any(line.startswith("node: ") for line in error.details):    # the innermost graph's line is the most precise
        error.add(f"node: {node.name!r}")
        if node.place is not None:
            error.add(f"line: {line_text(node.place)}")
    return error


def add_place_of_shape(error: ShapeError, node: Any, inputs: Sequence[Any]) -> ShapeError:
    """Add the node and the shapes of its inputs to a shape error; return the error."""
    named = list(zip(node.op.argument_names(len(inputs)), node.inputs, inputs, strict=True))
    error.variable = next((p.name for arg, (p, _), _ in named if arg == error.argument and p.op is None), None)
    add_location(error, node)
    error.add("inputs: " + ", ".join(f"{arg} = {parent.name!r} {shape}" for arg, (parent, _), shape in named))
    return error


def line_text(place: SourceLine) -> str:
    """Return a string such as 'net.py:12: return F.dot(x, y)', with the file relative to the current folder."""
    file, line = place
    text = linecache.getline(file, line).strip()
    return f"{_named(file)}:{line}" + (f": {text}" if text else "")


def _named(file: str) -> str:
    """Return a file's shortest name or, for a notebook cell, IPython's name for it."""
    if "IPython" in sys.modules:
        shell: Any = sys.modules["IPython"].get_ipython()
        cell: Any = shell and getattr(shell.compile, "format_code_name", lambda _: None)(file)
        if cell:
            return " ".join(cell)
    folder = os.getcwd() + os.sep
    return file[len(folder):] if file.startswith(folder) else file
