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
    names = {}
    _collect(net, names)
    return [_source(kind, listed) for kind, listed in names.items()]


def _collect(block, names):
    names.setdefault(type(block), []).append(block.name)
    for child in block._children.values():
        _collect(child, names)


def _source(kind, names):
    own = not kind.__module__.startswith("minigluon.gluon")
    method = kind.hybrid_forward
    try:
        lines, number = inspect.getsourcelines(method)
        text, where = inspect.cleandoc("\n" + "".join(lines)), f"{method.__module__}, line {number}"
    except (OSError, TypeError):
        text, where = "# The source is not in a file.", method.__module__
    return Source(f"{kind.__name__}.hybrid_forward", where, text, names, own)
