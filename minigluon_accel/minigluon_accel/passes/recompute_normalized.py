"""A pass that saves neither the large normalized values that a clip reads nor the clip's result.

Unlike the gradient of relu, the gradient of clip reads the clip's input. So such a layer saves three arrays, although
two of them can be computed from the third, the input of the BatchNorm, and from its statistics. These two are
recomputed with the same bits, in no more time than saving all three takes. MobileNetV2 consists of such layers. With
relu, two arrays are saved, and recomputing one of them takes a few percent more time, so this is done only if
`hybridize(memory=...)` requests it.
"""

from minigluon.hybrid.rematerialize import GraphParts, cheap_to_recompute, recompute_nodes

from .fuse_neighbours import LARGE

__all__ = ["recompute_normalized"]


def recompute_normalized(draft):
    """Recomputes the normalized values if the plan has gradients."""
    graph, specs = draft.graph, draft.specs
    if draft.results == len(graph.heads):
        return draft
    parts = GraphParts(graph, draft.results)
    saved_pairs = set(parts.saved).union(map(parts.root, graph.heads))
    targets = [pair for _, _, pair in cheap_to_recompute(parts, saved_pairs, specs, LARGE, _is_light)]
    if not targets:
        return draft
    saved_pairs.difference_update(targets)
    nodes = parts.needed(targets, saved_pairs)
    result = recompute_nodes(parts, nodes, saved_pairs, specs)
    return draft.after("recompute normalized", result, [f"{len(targets)} values are not kept"])


def _is_light(node):
    return node.op.recompute_as is not None or node.op.name == "clip"
