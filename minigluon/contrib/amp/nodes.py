"""Nodes that convert, with their attributes as a symbol file has them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...ops import REGISTRY
from ...symbol.graph import Node

if TYPE_CHECKING:
    from ...common.types import DType

__all__ = ["cast_node", "multicast_node"]


def cast_node(pair: Any, dtype: DType, name: str) -> Node:
    """The node that makes an output (node, index) one of the type of this name."""
    return Node(REGISTRY["amp_cast"](dtype=dtype), name, [pair], {"dtype": dtype})


def multicast_node(pairs: Any, name: str) -> Node:
    """The node that brings outputs to the widest of their types; its outputs are as many."""
    count = len(pairs)
    return Node(REGISTRY["amp_multicast"](num_outputs=count), name, pairs, {"num_outputs": str(count)})
