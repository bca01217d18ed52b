"""What the networks share: features and then an output, layers one after the other, parameters from a file."""

from __future__ import annotations

from typing import Any

from ....base import ArgumentError, nearest
from ... import nn
from ...hybrid_block import HybridBlock
from ..model_store import get_model_file

__all__ = ["Classifier", "choose", "stack", "with_parameters"]


class Classifier(HybridBlock):
    """output(features(x)). A program that wants a net for other classes replaces `output` and keeps `features`.

    prefix, params: see `Block`.
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """The score of each class, before any softmax"""
        return self.output(self.features(x))


def stack(*layers):
    """The layers one after the other, under the names that they would have without this container."""
    out = nn.HybridSequential(prefix="")
    out.add(*layers)
    return out


def choose(what, value, table):
    """table[value]. Raises ArgumentError that lists what there is."""
    if value not in table:
        raise ArgumentError(f"{what} {value!r} is not known. Known: {', '.join(map(repr, table))}."
                            + nearest(value, map(str, table)))
    return table[value]


def with_parameters(net, name, pretrained, ctx, root):
    """The net; with `pretrained`, its parameters on `ctx` are those of the file that `get_model_file` finds."""
    if pretrained:
        net.load_parameters(get_model_file(name, root=root), ctx=ctx)
    return net
