"""A net as plain data: which block is inside of which, what each has of its own, and what all inside have together.

Nothing is asked that could change the net: no `collect_params`, which warns, and no shape that is not known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..ops.shapes import size_of

__all__ = ["DEFERRED", "EMPTY", "Branch", "Weight", "shape_text", "state_of", "tree_of", "weight_of"]

DEFERRED, EMPTY, READY = "deferred", "not initialized", ""
LONGEST = 200           # characters of what a layer says of itself


@dataclass
class Weight:
    """A parameter of a block."""

    name: str           # the attribute that holds it
    shape: str
    dtype: str
    size: int | None    # number of elements; None where the shape is not known
    state: str          # DEFERRED, EMPTY or READY
    grad_req: str
    shared: bool        # has an earlier block of the tree the same one?


@dataclass
class Branch:
    """A block. The counts are those of all blocks inside as well, each parameter once."""

    key: str            # its name in the block around it
    kind: str           # its class
    text: str           # what the layer says of itself: '3 -> 2, linear'
    weights: list[Weight]
    hybridized: bool
    branches: list[Branch] = field(default_factory=list)
    blocks: int = 1
    parameters: int = 0         # elements that are known of
    fixed: int = 0              # of these, elements without a gradient
    unknown: int = 0            # parameters whose shapes are not known
    deferred: int = 0           # parameters that wait for a shape
    empty: int = 0              # parameters that nobody has initialized

    def __iter__(self) -> Iterator[Branch]:
        """Itself and all inside of it, from the top to the bottom."""
        waiting = [self]
        while waiting:
            branch = waiting.pop()
            yield branch
            waiting += reversed(branch.branches)


def tree_of(net: Any, plain: Any) -> Branch:
    """The Branch of a Block. A block that occurs twice is there twice, and its parameters count once.

    plain: the `__repr__` that blocks inherit, which says no more than what is in them.
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
    text = "" if block._is_container or type(block).__repr__ is plain else _said(block)
    return Branch(key, type(block).__name__, text, [], bool(getattr(block, "_active", False)))


def _said(block: Any) -> str:
    """What a layer's `repr` says besides its class; nothing where it has several lines, for its blocks."""
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
    """The Weight of a Parameter."""
    known = param._is_shape_known()
    return Weight(name, shape_text(param), param.dtype.__name__, size_of(param.shape) if known else None,
                  state_of(param), param.grad_req, False)


def shape_text(param: Any) -> str:
    """'(6, ?, 5, 5)'; '?' where nothing is known of it."""
    return "?" if param.shape is None else str(param._shape).replace("None", "?")


def state_of(param: Any) -> str:
    """Has a Parameter its value, or what does it wait for?"""
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
