"""What the networks share: features and then an output, layers one after the other, parameters from a file."""

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
    """output(features(x)). A program that wants a net for other classes replaces `output` and keeps `features`.

    prefix, params: see `Block`.
    """

    features: nn.HybridSequential
    output: HybridBlock

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The score of each class, before any softmax"""
        return self.output(self.features(x))


def stack(*layers: HybridBlock) -> nn.HybridSequential:
    """The layers one after the other, under the names that they would have without this container."""
    out = nn.HybridSequential(prefix="")
    out.add(*layers)
    return out


def choose(what: str, value: Key, table: Mapping[Key, Row]) -> Row:
    """table[value]. Raises ArgumentError that lists what there is."""
    if value not in table:
        raise ArgumentError(f"{what} {value!r} is not known. Known: {', '.join(map(repr, table))}."
                            + nearest(value, map(str, table)))
    return table[value]


def published(name: str, factory: Callable[..., HybridBlock], *arguments: Any, doc: str) -> Callable[..., HybridBlock]:
    """The function called `name` that makes a network of a published size: `factory` with these arguments.

    doc: its docstring.
    """
    def make(**kwargs: Any) -> HybridBlock:
        return factory(*arguments, **kwargs)

    make.__name__ = make.__qualname__ = name
    make.__module__, make.__doc__ = factory.__module__, doc
    return make


def with_parameters(net: Net, name: str, pretrained: bool, ctx: Context, root: str | None) -> Net:
    """The net; with `pretrained`, its parameters on `ctx` are those of the file that `get_model_file` finds."""
    if pretrained:
        net.load_parameters(get_model_file(name, root=root), ctx=ctx)
    return net
