"""The recomputation pass, which saves memory but takes more time.

The backward pass needs the values of the forward pass, and keeping all of them takes most of a training step's memory.
This pass cuts the forward part into about √n segments. Only values that cross a cut are kept; backward recomputes the
other values segment by segment, starting with the last segment, so that only one segment's inner values are alive at a
time. This adds at most the time of one forward pass. Source: Chen et al., arXiv:1604.06174.

`net.hybridize(recompute=True)` enables it; `budget.py` recomputes only as much as a given memory limit requires.
"""

import math

from .conditions import only_if
from .rematerialize import GraphParts, recompute_nodes, recompute_operands, spec_bytes

__all__ = ["crossing", "recompute", "segments"]


@only_if("saving")
def recompute(draft):
    """Makes the gradients read recomputed values, except for values that cross the cuts, if the program requests this.

    Results of random and overwriting operators are kept, because a second run would give different results, unless the
    operators define how to recompute them from kept values.
    """
    if draft.saving is not True or not draft.wanted:
        return draft
    parts, specs = GraphParts(draft.graph, draft.results), draft.specs
    segment = segments(parts, specs)
    last = max(segment.values(), default=0)         # this segment is still alive when the backward part begins
    saved_pairs = crossing(parts, segment)
    nodes = parts.needed([p for p in parts.saved if p not in saved_pairs and segment[p[0]] != last], saved_pairs)
    notes = [f"{last + 1} segments; {len(nodes)} of {len(parts.forward)} operators are computed again"]
    return draft.after("recompute", recompute_nodes(parts, nodes, saved_pairs, specs), notes)


def segments(parts, specs):
    """Returns {node: index of its segment}, for √n segments of about equal size in bytes, given n saved values."""
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
    """Returns the values to keep: values used by a later segment, results, and values that cannot be recomputed."""
    pairs = set(map(parts.root, parts.graph.heads))
    for node in parts.forward:
        for pair in node.inputs:
            root = parts.root(pair)
            if segment.get(root[0], segment[node]) != segment[node]:
                pairs.add(root)
        operands = recompute_operands(node)
        if operands is None or node.op.recompute_as is not None:
            pairs.update((node, index) for index in range(0 if operands is None else 1, node.op.num_outputs))
    return pairs
