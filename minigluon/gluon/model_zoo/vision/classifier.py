"""Parts that the networks share: features followed by an output layer, stacks of layers, and parameters from a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from ....base import ArgumentError, nearest
from ... import nn
from ...hybrid_block import HybridBlock
from ..model_store import get_model_file

if TYPE_CHECKING:
    from ....context import Context

__all__ = ["Classifier", "choose", "published", "stack", "with_parameters"]

Key = TypeVar("Key")
Row = TypeVar("Row")
Net = TypeVar("Net", bound=HybridBlock)


class Classifier(HybridBlock):
    """Network output(features(x)). To predict other classes, replace `output` and keep `features`.

    prefix, params: see `Block`.
    """

    features: nn.HybridSequential
    output: HybridBlock

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the score of each class, before any softmax."""
        return self.output(self.features(x))


def stack(*layers: HybridBlock) -> nn.HybridSequential:
    """Return a sequence of layers whose names do not include this container."""
    out = nn.HybridSequential(prefix="")
    out.add(*layers)
    return out


def choose(what: str, value: Key, table: Mapping[Key, Row]) -> Row:
    """Return table[value]. Raises ArgumentError, which lists the known values, if there is no such entry."""
    if value not in table:
        raise ArgumentError(f"{what} {value!r} is not known. Known: {', '.join(map(repr, table))}."
                            + nearest(value, map(str, table)))
    return table[value]


def published(name: str, factory: Callable[..., HybridBlock], *arguments: Any, doc: str) -> Callable[..., HybridBlock]:
    """Return a function `name` that creates a network of a published size by calling `factory` with these arguments.

    doc: its docstring.
    """
    def make(**kwargs: Any) -> HybridBlock:
        return factory(*arguments, **kwargs)

    make.__name__ = make.__qualname__ = name
    make.__module__, make.__doc__ = factory.__module__, doc
    return make


def with_parameters(net: Net, name: str, pretrained: bool, ctx: Context, root: str | None) -> Net:
    """Return the net. If `pretrained` is True, load its parameters to `ctx` from the file found by `get_model_file`."""
    if pretrained:
        net.load_parameters(get_model_file(name, root=root), ctx=ctx)
    return net
