"""`Block.save(prefix)`: writes '<prefix>-model.params', and '<prefix>-model.json' with the network's structure.

`load` fills a new network created by the same code. Its automatic names and the keys of its children may differ from
those in the files, so blocks are matched by order: each block before its children.

The format is MXNet's. Each block is a dict within the dict of its parent, under its lower-case class name and an
index:

    "orig_name": its name; "children": {name of a child: its key in the parent}
    "hybridized": in a HybridBlock, whether there is a graph; if so, "symbol" is the graph, "inputs" a graph for each
        argument variable, and "in_format" and "out_format" the nesting of arguments and results

This package adds "active", which tells whether the block is hybridized, with or without a graph; "keys", the keys of
all children in order, because two children may have the same name; and "parameters", the names of the block's own
parameters. MXNet ignores these.
"""
from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from .. import symbol
from ..base import FileFormatError, listed
from ..serialization.atomic_write import reading_together, replacing, together, unreadable
from ..serialization.reading import content_of
from .parameter_file import load_arrays
from .tree_checks import Tree

__all__ = ["format_of", "load_model", "save_model"]


def save_model(net: Any, prefix: str) -> None:
    """Write both files. A crash leaves the old files intact."""
    structure = json.dumps(dict([_entry_of(net, itertools.count())]))
    with together():
        net.save_parameters(f"{prefix}-model.params")
        with replacing(f"{prefix}-model.json") as file:
            file.write(structure.encode())


def load_model(net: Any, prefix: str) -> None:
    """Read both files, written here or by MXNet, into a network created by the same code."""
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
    """Return the additional entries of hybrid blocks."""
    if not hasattr(block, "hybrid_forward"):
        return {}
    if not block._active or not block.block_graphs:
        return {"hybridized": False, "active": block._active}
    trace = list(block.block_graphs.values())[-1].trace
    return {"hybridized": True, "active": True, "symbol": trace.outputs.tojson(),
            "inputs": [symbol.var(name).tojson() for name in trace.inputs if name is not None],
            "in_format": format_of(trace.in_structure), "out_format": format_of(trace.out_structure)}


def format_of(structure: Any) -> Any:
    """Return the structure in MXNet's format, for JSON: 0 for a leaf, a list for a list or a tuple."""
    return 0 if structure is None else [format_of(inner) for inner in structure]


class _Pair(NamedTuple):
    """A block, its path in the network ('0.act.'), its path in the saved network, and its saved entry."""

    block: Any
    here: str
    there: str
    entry: dict[str, Any]


def _read_structure(path: str) -> Any:
    """Return the content of '<prefix>-model.json'. Raises FileFormatError, or MXNetError if the file cannot be read."""
    try:
        return json.loads(content_of(path))
    except OSError as error:
        raise unreadable(path, error) from error
    except (RecursionError, ValueError) as error:
        raise FileFormatError(f"{path!r} does not contain the structure of a network: {error}") from None


def _keys_of(entry: dict[str, Any]) -> list[Any]:
    """Return a block's child keys, in order. MXNet does not write "keys"."""
    keys, children = entry.get("keys"), entry.get("children")
    if isinstance(keys, list):
        return keys
    return list(children.values()) if isinstance(children, dict) else []


def _pair_blocks(net: Any, structure: Any, path: str) -> list[_Pair]:
    """Return a network's blocks with their saved entries. Raises FileFormatError if they do not match."""
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
            raise FileFormatError(f"{problem} {len(block._children)} children in {key!r}, but it has {len(keys)}.")
        if entry.get("parameters", expected) != expected:
            raise FileFormatError(f"{problem} the parameters {listed(expected)} in {key!r}, but it has others.")
        pairs.append(_Pair(block, here, there, entry))
        for saved, (name, child) in zip(keys, block._children.items(), strict=True):
            visit(child, f"{here}{name}.", f"{there}{saved}.", entry)

    visit(net, "", "", structure)
    return pairs
