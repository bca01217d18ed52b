"""Source code shown on the page: hybrid_forward of each block class in a net, and the classes of its operators."""

from __future__ import annotations

import importlib
import inspect
import linecache
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Source", "Sources", "operators_of", "sources_of"]

PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass
class Source:
    """The source of a function or class.

    users: names of its blocks in the net. own: whether it is not part of minigluon.

    where: file and line, for display. file, line: those of its first line, '' if there is no file. id: its id on the
    page.
    """

    title: str
    where: str
    text: str
    users: list
    own: bool
    file: str = ""
    line: int = 0
    id: str = ""


def sources_of(net: Any) -> list[Source]:
    """Return a Source for each block class in the net, starting with the net's own class."""
    names = {}
    _collect(net, names)
    return [_source(f"{kind.__name__}.hybrid_forward", kind.hybrid_forward, kind.__module__, listed, f"s{number}")
            for number, (kind, listed) in enumerate(names.items())]


def operators_of(graphs: Any) -> list[Any]:
    """Return a Source for each operator class in the graphs; if there is no source code, it names the module."""
    classes = dict.fromkeys(node.operator for graph in graphs for node in graph.nodes if node.operator)
    sources = []
    for number, name in enumerate(sorted(classes)):
        module, _, title = name.rpartition(".")
        kind = getattr(importlib.import_module(module), title, None)
        sources.append(_source(title, kind, module, [], f"o{number}"))
    return sources


def _collect(block, names):
    names.setdefault(type(block), []).append(block.name)
    for child in block._children.values():
        _collect(child, names)


def _source(title, what, module, names, id):
    own = not module.startswith("minigluon.")
    try:
        lines, number = inspect.getsourcelines(what)
        file = os.path.abspath(inspect.getsourcefile(what))
    except (OSError, TypeError):
        return Source(title, module, "# The source is not in a file.", names, own, id=id)
    text = inspect.cleandoc("\n" + "".join(lines))
    return Source(title, f"{file_name(file)}, line {number}", text, names, own, file, number, id)


def file_name(file: Any) -> Any:
    """Return a readable name for a file: 'minigluon/gluon/block.py', or a path relative to the current folder."""
    if file.startswith(PACKAGE + os.sep):
        return "minigluon/" + os.path.relpath(file, PACKAGE).replace(os.sep, "/")
    folder = os.getcwd()
    return os.path.relpath(file, folder) if file.startswith(folder + os.sep) else os.path.basename(file)


class Sources:
    """Indices for the origins of nodes, in the form in which the page's script looks them up.

    lines: [where, id of the line on the page or None, its text]. stacks: lists of indices of lines, with the innermost
    first. operators: [where, id or None] of operator classes.
    """

    lines: list[Any]
    operators: list[Any]
    stacks: list[list[Any]]

    def __init__(self, sources: Any):
        self._sources = sources
        self.lines, self.stacks, self.operators = [], [[]], []
        self._known = {"": None, (): 0}

    def stack(self, lines: Sequence[str]) -> int | None:
        """Return the index of a stack of (file, line)."""
        key = tuple(map(tuple, lines))
        if key not in self._known:
            self.stacks.append([self._line(*line) for line in key])
            self._known[key] = len(self.stacks) - 1
        return self._known[key]

    def operator(self, name: str) -> int | None:
        """Return the index of an operator's class, or None for an input."""
        if name not in self._known:
            title = name.rpartition(".")[2]
            source = next(s for s in self._sources if s.id.startswith("o") and s.title == title)
            self.operators.append([source.where, f"{source.id}-1" if source.file else None])
            self._known[name] = len(self.operators) - 1
        return self._known[name]

    def _line(self, file, number):
        if (file, number) not in self._known:
            source = next((s for s in self._sources if s.file == file
                           and s.line <= number <= s.line + s.text.count("\n")), None)
            anchor = f"{source.id}-{number - source.line + 1}" if source else None
            self.lines.append([f"{file_name(file)}, line {number}", anchor, linecache.getline(file, number).strip()])
            self._known[file, number] = len(self.lines) - 1
        return self._known[file, number]
