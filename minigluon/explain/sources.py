"""The source of hybrid_forward of each class of block in a net."""

import inspect
from dataclasses import dataclass

__all__ = ["Source", "sources_of"]


@dataclass
class Source:
    """hybrid_forward of a class. users: names of its blocks in the net. own: not one of minigluon's layers."""

    title: str
    where: str
    text: str
    users: list
    own: bool


def sources_of(net):
    """A Source for each class of block in the net, the net's own first."""
    blocks = {}

    def visit(block):
        blocks.setdefault(type(block), []).append(block.name)
        for child in block._children.values():
            visit(child)

    visit(net)
    return [_source(kind, names) for kind, names in blocks.items()]


def _source(kind, names):
    own = not kind.__module__.startswith("minigluon.gluon")
    method = kind.hybrid_forward
    try:
        lines, number = inspect.getsourcelines(method)
        text, where = inspect.cleandoc("\n" + "".join(lines)), f"{method.__module__}, line {number}"
    except (OSError, TypeError):
        text, where = "# The source is not in a file.", method.__module__
    return Source(f"{kind.__name__}.hybrid_forward", where, text, names, own)
