"""A pass that saves neither large normalized values that a clip reads nor the clip's result.

Unlike the gradient of relu, the gradient of clip reads the clip's input: so such a layer saves three arrays, of which
two follow from the third, the BatchNorm's input, and its statistics. They are recomputed with the same bits, in no
more time than saving them all: MobileNetV2 consists of such layers. With relu, two arrays are saved, and recomputing
one takes a few percent more time, so only `hybridize(memory=...)` requests that.
"""

from minigluon.hybrid.rematerialize import GraphParts, cheap_to_recompute, recompute_nodes

from .fuse_neighbours import LARGE

__all__ = ["recompute_normalized"]


def recompute_normalized(draft):
    """Recomputes such values if the plan has gradients."""
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
