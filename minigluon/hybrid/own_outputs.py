"""The pass that gives each result its own memory."""

from ..ops import REGISTRY
from ..symbol.graph import Node
from ..symbol.symbol import Symbol

__all__ = ["own_outputs"]


def own_outputs(draft):
    """Copy each output that is also an input, a constant, or another output."""
    seen, outputs, specs = set(), [], draft.specs
    for pair in draft.graph.heads:
        if pair in seen or pair[0].op is None or not pair[0].inputs:
            copy = Node(REGISTRY["identity"](), f"{pair[0].name}_copy{len(outputs)}", [pair])
            specs[copy, 0] = specs[pair]
            pair = copy, 0
        seen.add(pair)
        outputs.append(pair)
    return draft._replace(graph=Symbol(outputs))
