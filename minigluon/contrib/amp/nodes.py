"""Conversion nodes, with their attributes as in symbol files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ops import REGISTRY
from ...symbol.graph import Node

if TYPE_CHECKING:
    from ...common.types import DType

__all__ = ["cast_node", "multicast_node"]


def cast_node(pair: Any, dtype: DType, name: str) -> Node:
    """Return a node that casts an output (node, index) to a dtype."""
    return Node(REGISTRY["amp_cast"](dtype=dtype), name, [pair], {"dtype": dtype})


def multicast_node(pairs: Any, name: str) -> Node:
    """Return a node that casts all given outputs to the widest of their dtypes."""
    count = len(pairs)
    return Node(REGISTRY["amp_multicast"](num_outputs=count), name, pairs, {"num_outputs": str(count)})
