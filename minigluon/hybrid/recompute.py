"""The recomputation pass: less memory for more time.

Backward needs what forward computed, and keeping it all is most of a training step's memory. This pass cuts the forward
part into about √n segments. Only what crosses a cut is kept; backward computes the rest again, segment by segment from
the last, so that only one segment's inner values live at a time. Time grows by at most another forward pass. Source:
Chen et al., arXiv:1604.06174.

`net.hybridize(recompute=True)` asks for it; `budget.py` does as much of it as a given amount of memory takes.
"""

import math

from .conditions import only_if
from .rematerialize import GraphParts, recompute_nodes, recompute_operands, spec_bytes

__all__ = ["crossing", "recompute", "segments"]


@only_if("saving")
def recompute(draft):
    """Let the gradients start from what crosses the cuts, where the program asks for that.

    What random and overwriting operators made is kept, unless they tell how it comes from what is kept anyway: a
    second time they would make something else.
    """
    if draft.saving is not True or not draft.wanted:
        return draft
    parts, specs = GraphParts(draft.graph, draft.results), draft.specs
    segment = segments(parts, specs)
    last = max(segment.values(), default=0)         # which still lives when the backward part begins
    kept = crossing(parts, segment)
    nodes = parts.needed([p for p in parts.saved if p not in kept and segment[p[0]] != last], kept)
    notes = [f"{last + 1} segments; {len(nodes)} of {len(parts.forward)} operators are computed again"]
    return draft.after("recompute", recompute_nodes(parts, nodes, kept, specs), notes)


def segments(parts, specs):
    """{node: number of its segment}, √n segments for n saved values, of about the same bytes of them."""
    sizes = dict.fromkeys(parts.forward, 0)
    for node, index in parts.saved:
        if node in sizes:
            sizes[node] += spec_bytes(specs[node, index])
    share = sum(sizes.values()) / max(1, round(math.sqrt(len(parts.saved))))
    segment, number, filled = {}, 0, 0
    for node in parts.forward:
        if filled >= share:
            number, filled = number + 1, 0
        segment[node] = number
        filled += sizes[node]
    return segment


def crossing(parts, segment):
    """The values that are kept: those that a later segment uses, results, and what cannot be computed again."""
    kept = set(map(parts.root, parts.graph.heads))
    for node in parts.forward:
        for pair in node.inputs:
            root = parts.root(pair)
            if segment.get(root[0], segment[node]) != segment[node]:
                kept.add(root)
        operands = recompute_operands(node)
        if operands is None or node.op.recompute_as is not None:
            kept.update((node, index) for index in range(0 if operands is None else 1, node.op.num_outputs))
    return kept
