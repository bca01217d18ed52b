"""The recomputation pass: less memory for more time.

Backward needs what forward computed, and keeping it all is most of a training step's memory. This pass cuts the forward
part into about √n segments. Only what crosses a cut is kept; backward computes the rest again, segment by segment from
the last, so that only one segment's inner values live at a time. Time grows by at most another forward pass. Source:
Chen et al., arXiv:1604.06174.

`net.hybridize(recompute=True)` asks for it.
"""

import math

from ..symbol.graph import Node, topological
from ..symbol.symbol import Symbol
from .report import Report

__all__ = ["recompute"]


def recompute(graph, count, specs, reports=None):
    """The graph whose gradients, the outputs after the first `count`, start from what crosses the cuts.

    `specs` gets those of the new nodes. What random and overwriting operators made is always kept: a second time they
    would make something else.
    """
    forward = [node for node in topological(graph.heads[:count]) if node.op is not None]
    early = set(forward)
    backward = [node for node in graph.nodes() if node.op is not None and node not in early]
    saved = {pair for node in backward for pair in node.inputs if pair[0] in early}
    segment = _segments(forward, saved, specs)
    last = max(segment.values(), default=0)
    kept = _crossing(graph, forward, segment)
    again = {}
    for node in _needed(forward, saved, kept, segment, last):
        clone = Node(node.op, f"{node.name}_again", [again.get(pair, pair) for pair in node.inputs], node.attrs,
                     place=node.place)
        for index in range(node.op.num_outputs):
            again[node, index] = clone, index
            specs[clone, index] = specs[node, index]
    again = {pair: clone for pair, clone in again.items() if pair not in kept}
    result = _rewired(graph, count, backward, again, specs)
    if reports is not None:
        count_again = len({node for node, _ in again})
        notes = [f"{last + 1} segments; {count_again} of {len(forward)} operators are computed again"]
        reports.append(Report("recompute", graph, result, notes, specs))
    return result


def _segments(forward, saved, specs):
    """{node: number of its segment}, √n segments for n saved values, of about the same bytes of them."""
    sizes = dict.fromkeys(forward, 0)
    for node, index in saved:
        spec = specs[node, index]
        sizes[node] += math.prod(spec.shape) * spec.dtype.itemsize
    share = sum(sizes.values()) / max(1, round(math.sqrt(len(saved))))
    segment, number, filled = {}, 0, 0
    for node in forward:
        if filled >= share:
            number, filled = number + 1, 0
        segment[node] = number
        filled += sizes[node]
    return segment


def _crossing(graph, forward, segment):
    """The values that are kept: those that a later segment uses, results, and what cannot be computed again."""
    kept = set(graph.heads)
    for node in forward:
        kept.update(pair for pair in node.inputs if segment.get(pair[0], segment[node]) != segment[node])
        if node.op.random or node.op.mutates:
            kept.update((node, index) for index in range(node.op.num_outputs))
    return kept


def _needed(forward, saved, kept, segment, last):
    """The nodes to compute again, in order: what leads from kept values to saved ones. The last segment still lives."""
    todo = [pair[0] for pair in saved if pair not in kept and segment[pair[0]] != last]
    needed = set(todo)
    while todo:
        for pair in todo.pop().inputs:
            if pair not in kept and pair[0] in segment and pair[0] not in needed:
                needed.add(pair[0])
                todo.append(pair[0])
    return [node for node in forward if node in needed]


def _rewired(graph, count, backward, again, specs):
    """The backward part with its inputs taken from what was computed again."""
    where = {}
    for node in backward:
        inputs = tuple(where.get(pair) or again.get(pair, pair) for pair in node.inputs)
        made = node if inputs == node.inputs else Node(node.op, node.name, inputs, node.attrs, place=node.place)
        for index in range(node.op.num_outputs):
            where[node, index] = made, index
            specs[made, index] = specs[node, index]
    return Symbol([*graph.heads[:count], *[where.get(pair, pair) for pair in graph.heads[count:]]])
