"""`Block.save(prefix)`: '<prefix>-model.params', and '<prefix>-model.json' with the structure of the network.

`load` fills a network that the same code has made anew. Its automatic names and the keys of its children may differ
from those in the files, so blocks are paired by their order: each block before its children.

The text is MXNet's. Each block is a dict in that of its parent, under its class in lower case and its number:

    "orig_name": its name; "children": {name of a child: the key that its parent has for it}
    "hybridized": in a HybridBlock, is there a graph? Then there are "symbol", the graph, "inputs", a graph of each
        variable that stands for an argument, and "in_format" and "out_format", how arguments and results are nested

This package adds "active", hybridized with or without a graph; "keys", all keys of children, in order, since two
children may have one name; and "parameters", the names of the block's own ones. MXNet passes over them.
"""
from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import symbol
from ..base import FileFormatError, listed
from ..common.nest import format_of
from ..serialization.reading import content_of
from ..serialization.whole_files import reading_together, replacing, together, unreadable
from .parameter_file import load_arrays
from .tree_checks import Tree

__all__ = ["load_model", "save_model"]


def save_model(net: Any, prefix: str) -> None:
    """Write both files. A crash leaves the old ones whole."""
    structure = json.dumps(dict([_entry_of(net, itertools.count())]))
    with together():
        net.save_parameters(f"{prefix}-model.params")
        with replacing(f"{prefix}-model.json") as file:
            file.write(structure.encode())


def load_model(net: Any, prefix: str) -> None:
    """Read both files, written here or by MXNet, into a network that the same code has made."""
    params, structure = f"{prefix}-model.params", f"{prefix}-model.json"
    with reading_together(params, structure):
        pairs = _pair_blocks(net, _read_structure(structure), structure)
        arrays = load_arrays(params)
    names = {there + key: here + key for block, here, there, _ in pairs for key in block._reg_params}
    net._load_arrays({names.get(key, key): x for key, x in arrays.items()}, params)
    for block, _, _, entry in pairs:
        if entry.get("active", entry.get("hybridized")) and hasattr(block, "activate"):
            block.activate()


def _entry_of(block: Any, numbers: Iterator[int]) -> tuple[str, dict[str, Any]]:
    key = _key_of(block, numbers)
    children = block._children
    entry = {"orig_name": block.name, **_graph_of(block), "parameters": list(block._reg_params),
             "children": {child.name: key for key, child in children.items()}, "keys": list(children)}
    entry.update(_entry_of(child, numbers) for child in children.values())
    return key, entry


def _key_of(block: Tree, numbers: Iterator[int]) -> str:
    return f"{type(block).__name__.lower()}{next(numbers)}"


def _graph_of(block: Any) -> dict[str, Any]:
    """What is written of hybrid blocks alone."""
    if not hasattr(block, "hybrid_forward"):
        return {}
    if not block._active or not block.block_graphs:
        return {"hybridized": False, "active": block._active}
    trace = list(block.block_graphs.values())[-1].trace
    return {"hybridized": True, "active": True, "symbol": trace.outputs.tojson(),
            "inputs": [symbol.var(name).tojson() for name in trace.inputs if name is not None],
            "in_format": format_of(trace.in_structure), "out_format": format_of(trace.out_structure)}


class _Pair(NamedTuple):
    """A block, where it stands in the network ('0.act.'), where it stood in the saved one, and what was saved of it."""

    block: Any
    here: str
    there: str
    entry: dict[str, Any]


def _read_structure(path: str) -> Any:
    """What a file '<prefix>-model.json' holds. Raises FileFormatError, MXNetError where it cannot be read."""
    try:
        return json.loads(content_of(path))
    except OSError as error:
        raise unreadable(path, error) from error
    except (RecursionError, ValueError) as error:
        raise FileFormatError(f"{path!r} holds no structure of a network: {error}") from None


def _keys_of(entry: dict[str, Any]) -> list[Any]:
    """The keys of a block's children, in order. MXNet writes no "keys"."""
    keys, children = entry.get("keys"), entry.get("children")
    if isinstance(keys, list):
        return keys
    return list(children.values()) if isinstance(children, dict) else []


def _pair_blocks(net: Any, structure: Any, path: str) -> list[_Pair]:
    """The blocks of a network and what was saved of each. Raises FileFormatError where they do not fit."""
    pairs: list[_Pair] = []
    numbers = itertools.count()

    def visit(block: Any, here: str, there: str, holder: Any) -> None:
        key, expected = _key_of(block, numbers), list(block._reg_params)
        problem = f"{path!r} is of another network. For {type(block).__name__} {block.name!r} it should have"
        entry = holder.get(key) if isinstance(holder, dict) else None
        if not isinstance(entry, dict):
            raise FileFormatError(f"{problem} an entry {key!r}.")
        keys = _keys_of(entry)
        if len(keys) != len(block._children):
            raise FileFormatError(f"{problem} {len(block._children)} children in {key!r}, and has {len(keys)}.")
        if entry.get("parameters", expected) != expected:
            raise FileFormatError(f"{problem} the parameters {listed(expected)} in {key!r}, and has others.")
        pairs.append(_Pair(block, here, there, entry))
        for saved, (name, child) in zip(keys, block._children.items(), strict=True):
            visit(child, f"{here}{name}.", f"{there}{saved}.", entry)

    visit(net, "", "", structure)
    return pairs
