"""Nested lists of arrays, which blocks take and return: flattening and regrouping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

__all__ = ["flatten", "regroup"]


def flatten(args: Any) -> tuple[list[Any], Any]:
    """Return (flat list, structure). Lists and tuples are flattened; everything else is a leaf."""
    if not isinstance(args, (list, tuple)):
        return [args], None
    flat: list[Any] = []
    structure: list[Any] = []
    for item in cast("list[Any]", args):
        leaves, inner = flatten(item)
        flat += leaves
        structure.append(inner)
    return flat, tuple(structure)


def regroup(flat: Iterable[Any], structure: Any) -> Any:
    """Return the nested lists, filled with the leaves of a flat list."""
    return _filled(iter(flat), structure)


def _filled(leaves: Iterator[Any], structure: Any) -> Any:
    return next(leaves) if structure is None else [_filled(leaves, inner) for inner in structure]
