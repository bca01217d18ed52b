"""The pass of this backend that keeps no large normalized value that a clip reads, nor the clip's result.

The gradient of clip reads what clip has read, unlike that of relu: so three arrays are kept for such a layer, of which
two follow from the third, the BatchNorm's input, and from its statistics. They are made again, with the same bits,
which is no slower than to keep them all: MobileNetV2 is made of such layers. With relu two arrays are kept, and to make
one again takes some percent more time, so `hybridize(memory=...)` must ask for it.
"""

from minigluon.hybrid.again import Parts, cheap_to_make, compute_again
from minigluon.hybrid.report import Report

from .passes import LARGE

__all__ = ["rewrite"]


def rewrite(graph, specs, count, reports):
    """The graph that makes such values again; `specs` gets those of its new nodes. See `Backend.rewrite`."""
    if count == len(graph.heads):
        return graph
    parts = Parts(graph, count)
    kept = set(parts.saved).union(map(parts.root, graph.heads))
    wanted = [pair for _, _, pair in cheap_to_make(parts, kept, specs, LARGE, _is_light)]
    if not wanted:
        return graph
    kept.difference_update(wanted)
    nodes = parts.needed(wanted, kept)
    result = compute_again(parts, nodes, kept, specs)
    if reports is not None:
        reports.append(Report("normalized", graph, result, [f"{len(wanted)} values are not kept"], specs))
    return result


def _is_light(node):
    return node.op.again is not None or node.op.name == "clip"
