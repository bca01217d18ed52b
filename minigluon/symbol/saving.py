"""Conversion of a Symbol to text, files and copies."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from . import json_file
from .graph import Handle, Node

__all__ = ["Saving"]

_Symbol = TypeVar("_Symbol", bound="Saving")


class Saving(Handle):
    """Mixin for Symbol that saves and copies it."""

    def tojson(self, remove_amp_cast: bool = True) -> str:
        """Returns the graph as JSON text, as MXNet 1.9.1 writes it; `sym.load_json` reads it.

        remove_amp_cast: if True, omit the casts inserted by automatic mixed precision.

        >>> sym.load_json((sym.var("a") + sym.var("b")).tojson()).list_inputs()
        ['a', 'b']
        """
        return json_file.tojson(self, remove_amp_cast)

    def save(self, fname: str | os.PathLike[str], remove_amp_cast: bool = True) -> None:
        """Writes the text of `tojson` to a file, which `sym.load` reads; a crash leaves an old file intact.

        fname: the file.
        remove_amp_cast: if True, omit the casts inserted by automatic mixed precision.

        >>> (sym.var("a") + sym.var("b")).save("sum-symbol.json")
        >>> sym.load("sum-symbol.json").list_inputs()
        ['a', 'b']
        """
        json_file.save(self, fname, remove_amp_cast)

    def __deepcopy__(self: _Symbol, memo: Any) -> _Symbol:
        """Copies all nodes. It is iterative, so that a graph's depth is unlimited."""
        for node in self.nodes():
            if id(node) not in memo:
                inputs = [(memo[id(parent)], index) for parent, index in node.inputs]
                memo[id(node)] = Node(node.op, node.name, inputs, dict(node.attrs), node.shape, node.dtype, node.place)
        return type(self)([(memo[id(node)], index) for node, index in self.heads])
