"""The pass of this backend that keeps no large normalized value that a clip reads, nor the clip's result.

The gradient of clip reads what clip has read, unlike that of relu: so three arrays are kept for such a layer, of which
two follow from the third, the BatchNorm's input, and from its statistics. They are made again, with the same bits,
which is no slower than to keep them all: MobileNetV2 is made of such layers. With relu two arrays are kept, and to make
one again takes some percent more time, so `hybridize(memory=...)` must ask for it.
"""

from minigluon.hybrid.rematerialize import GraphParts, cheap_to_recompute, recompute_nodes

from .fuse_neighbours import LARGE

__all__ = ["recompute_normalized"]


def recompute_normalized(draft):
    """Make such values again where the plan has gradients."""
    graph, specs = draft.graph, draft.specs
    if draft.results == len(graph.heads):
        return draft
    parts = GraphParts(graph, draft.results)
    kept = set(parts.saved).union(map(parts.root, graph.heads))
    wanted = [pair for _, _, pair in cheap_to_recompute(parts, kept, specs, LARGE, _is_light)]
    if not wanted:
        return draft
    kept.difference_update(wanted)
    nodes = parts.needed(wanted, kept)
    result = recompute_nodes(parts, nodes, kept, specs)
    return draft.after("recompute normalized", result, [f"{len(wanted)} values are not kept"])


def _is_light(node):
    return node.op.recompute_as is not None or node.op.name == "clip"
