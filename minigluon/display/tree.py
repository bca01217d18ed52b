"""A net as plain data: the nesting of its blocks, the parameters of each block, and the totals of each subtree.

This module never calls anything that could change the net: neither `collect_params`, which warns, nor anything that
needs an unknown shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..ops.shapes import size_of

__all__ = ["DEFERRED", "EMPTY", "Branch", "Weight", "shape_text", "state_of", "tree_of", "weight_of"]

DEFERRED, EMPTY, READY = "deferred", "not initialized", ""
LONGEST = 200           # the maximum length of a layer's own description


@dataclass
class Weight:
    """A parameter of a block."""

    name: str           # the attribute that refers to the parameter
    shape: str
    dtype: str
    size: int | None    # the number of elements; None if the shape is unknown
    state: str          # DEFERRED, EMPTY or READY
    grad_req: str
    shared: bool        # whether an earlier block in the tree contains the same parameter


@dataclass
class Branch:
    """A block. The counts include all blocks inside it; each parameter is counted only once."""

    key: str            # the name of the block in its parent
    kind: str           # its class
    text: str           # the layer's own description, such as '3 -> 2, linear'
    weights: list[Weight]
    hybridized: bool
    branches: list[Branch] = field(default_factory=list)
    blocks: int = 1
    parameters: int = 0         # the number of elements in parameters with known shapes
    fixed: int = 0              # how many of these elements have no gradient
    unknown: int = 0            # the number of parameters with unknown shapes
    deferred: int = 0           # the number of parameters whose initialization waits for a shape
    empty: int = 0              # the number of parameters that have not been initialized

    def __iter__(self) -> Iterator[Branch]:
        """Iterate over this block and all blocks inside it, from top to bottom."""
        waiting = [self]
        while waiting:
            branch = waiting.pop()
            yield branch
            waiting += reversed(branch.branches)


def tree_of(net: Any, plain: Any) -> Branch:
    """Return the Branch of a Block. A block that occurs twice is listed twice, but its parameters are counted once.

    plain: the `__repr__` that blocks inherit, which only lists their contents.
    """
    seen: set[int] = set()
    root = _branch("", net, plain)
    waiting, order = [(root, net)], []
    while waiting:
        branch, block = waiting.pop()
        branch.weights = [_weight(name, param, seen) for name, param in block._reg_params.items()]
        order.append(branch)
        inside = [(_branch(key, child, plain), child) for key, child in block._children.items()]
        branch.branches = [child for child, _ in inside]
        waiting += reversed(inside)
    for branch in reversed(order):
        _count(branch)
    return root


def _branch(key: str, block: Any, plain: Any) -> Branch:
    text = "" if block._is_container or type(block).__repr__ is plain else _repr_details(block)
    return Branch(key, type(block).__name__, text, [], bool(getattr(block, "_active", False)))


def _repr_details(block: Any) -> str:
    """Return a layer's `repr` without its class, or '' if it has several lines because it lists blocks."""
    text, kind = repr(block).strip(), type(block).__name__
    if "\n" in text:
        return ""
    if text.startswith(kind):
        text = text[len(kind):].strip()
    if text.startswith("(") and text.endswith(")"):
        text = text[1:-1].strip()
    return text if len(text) <= LONGEST else text[:LONGEST - 1] + "…"


def _weight(name: str, param: Any, seen: set[int]) -> Weight:
    weight = weight_of(name, param)
    weight.shared = id(param) in seen
    seen.add(id(param))
    return weight


def weight_of(name: str, param: Any) -> Weight:
    """Return the Weight of a Parameter."""
    is_known = param._is_shape_known()
    return Weight(name, shape_text(param), param.dtype.__name__, size_of(param.shape) if is_known else None,
                  state_of(param), param.grad_req, False)


def shape_text(param: Any) -> str:
    """Return the shape as text, such as '(6, ?, 5, 5)', or '?' if it is unknown."""
    return "?" if param.shape is None else str(param._shape).replace("None", "?")


def state_of(param: Any) -> str:
    """Return the state of a Parameter: READY, DEFERRED or EMPTY."""
    return READY if param.is_initialized else DEFERRED if param.is_deferred else EMPTY


def _count(branch: Branch) -> None:
    for weight in branch.weights:
        if not weight.shared:
            branch.parameters += weight.size or 0
            branch.fixed += weight.size or 0 if weight.grad_req == "null" else 0
            branch.unknown += weight.size is None
            branch.deferred += weight.state == DEFERRED
            branch.empty += weight.state == EMPTY
    for inner in branch.branches:
        for what in ("blocks", "parameters", "fixed", "unknown", "deferred", "empty"):
            setattr(branch, what, getattr(branch, what) + getattr(inner, what))
