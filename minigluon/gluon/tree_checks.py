"""Warnings, which MXNet lacks, about child blocks that their parent has not registered."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from ..diagnostics import strictness

__all__ = ["Outermost", "Tree", "parts", "warn_of_unregistered"]


class Tree(Protocol):
    """The interface of a Block within a tree of blocks."""

    _children: Any
    _reg_params: Any
    _is_container: bool

    @property
    def name(self) -> str: ...


class Outermost(threading.local):
    """`here`: whether the next method call in this thread comes from the program rather than from a parent block."""

    here = True


def parts(block: Tree) -> dict[int, Tree]:
    """Return {id: block} for the block and all blocks in it. Blocks may be equal or unhashable, so the keys are ids."""
    blocks, todo = {id(block): block}, [block]
    while todo:
        new = {id(child): child for child in todo.pop().__dict__.get("_children", {}).values()}
        todo += [child for key, child in new.items() if key not in blocks]
        blocks.update(new)
    return blocks


def warn_of_unregistered(net: Tree, kind: type[Tree]) -> None:
    """Warn about each list, tuple or dict that is an attribute and contains a block that is not in any `_children`.

    A block that contains the net is allowed, because a list keeps it from becoming a child. kind: the class Block.
    """
    tree = parts(net)
    for block in tree.values():
        for key, value in list(vars(block).items()):        # a copy, because another thread may set attributes
            if not isinstance(value, (list, tuple, dict)) or not value or key in ("_children", "_reg_params"):
                continue
            lost = next((x for x in _inside(value, kind) if id(x) not in tree and id(net) not in parts(x)), None)
            if lost is not None:
                strictness.warn(
                    f"{type(block).__name__}.{key} holds {type(lost).__name__} {lost.name!r}, which is no child of a "
                    "block here: its parameters are neither initialized, trained nor saved. A list, tuple or dict "
                    "registers nothing: call register_child(block), or put the layers into an nn.Sequential.")


def _inside(container: Any, kind: type[Tree]) -> list[Tree]:
    """Return the blocks in a list, a tuple or a dict's values, including nested ones."""
    blocks: list[Tree] = []
    todo: list[Any] = [container]
    seen: set[int] = set()
    for value in todo:                  # the list grows during the loop
        is_dict, is_sequence = isinstance(value, dict), isinstance(value, (list, tuple))
        if isinstance(value, kind):
            blocks.append(value)
        elif (is_dict or is_sequence) and id(value) not in seen:
            seen.add(id(value))
            todo += value.values() if is_dict else value
    return blocks
