"""The origin of an operator's call: the block and the line in the program."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, NamedTuple

from ...diagnostics import source_lines as places
from ...diagnostics.told_lines import line_text
from ...symbol.graph import Node, running

__all__ = ["Origin", "block_of", "here"]


class Origin(NamedTuple):
    """An operator's call.

    node: the node in the running graph; None if called imperatively, in which case `block` and `place` give the
    location.
    """

    operator: str
    node: Node | None
    block: str | None
    place: places.SourceLine | None

    def lines(self) -> list[str]:
        """Return the lines that describe the origin in a message."""
        lines = [f"block: {self.block}"] if self.block else []
        if self.node is not None:
            lines.append(f"node: {self.node.name!r}")
        return lines + ([f"line: {line_text(self.place)}"] if self.place else [])

    def __str__(self) -> str:
        return ", ".join([self.operator, *self.lines()])


def here(operator: str) -> Origin:
    """Return the Origin of the operator that is running."""
    node = running.node
    if node is not None and node.place is not None:
        return Origin(operator, node, None, node.place)
    return Origin(operator, node, None if node is not None else block_of(sys._getframe(1)), places.current_line())


def block_of(frame: FrameType | None) -> str | None:
    """Return a string such as "Dense 'net0_dense0'": the innermost block being called, or None if there is none."""
    while frame is not None:
        if frame.f_code.co_name in ("forward", "hybrid_forward"):
            block: Any = frame.f_locals.get("self")
            if hasattr(block, "collect_params"):
                return f"{type(block).__name__} {block.name!r}"
        frame = frame.f_back
    return None
