"""Rematerialization for the passes that save memory: the backward part recomputes values of the forward part.

`recompute.py` and `budget.py` decide which values. By default, a node recomputes its outputs with its own operator. If
the operator overwrites inputs or draws random numbers, `Op.recompute_as` may name another operator that computes the
first output from kept values, as `BatchNorm` does from its statistics.
"""

import math

from ..symbol.graph import Node, topological
from ..symbol.rewrite import Rewriter

__all__ = ["GraphParts", "cheap_to_recompute", "recompute_nodes", "recompute_operands", "spec_bytes"]

LONGEST = 4         # the maximum number of nodes that recompute a cheap value


class GraphParts:
    """A graph's forward and backward nodes, each in order, and the values that the backward part reads.

    saved: (node, output) pairs in the forward part; for a view, the pair of its base.
    """

    def __init__(self, graph, count):
        self.graph, self.count = graph, count
        self.forward = [node for node in topological(graph.heads[:count]) if node.op is not None]
        self.forward_nodes = set(self.forward)
        self.backward = [node for node in graph.nodes() if node.op is not None and node not in self.forward_nodes]
        read = [pair for node in self.backward for pair in node.inputs if pair[0] in self.forward_nodes]
        self.saved = [pair for pair in dict.fromkeys(map(self.root, read)) if pair[0] in self.forward_nodes]

    def root(self, pair):
        """Returns the base of a view, otherwise the pair itself."""
        while pair[0] in self.forward_nodes and pair[0].op.is_view:
            pair = pair[0].inputs[0]
        return pair

    def needed(self, pairs, saved_pairs):
        """Returns the nodes, in order, that recompute `pairs` from `saved_pairs` and from variables."""
        todo, nodes = [node for node, _ in pairs], {node for node, _ in pairs}
        while todo:
            for pair in recompute_operands(todo.pop()):
                if pair[0] in self.forward_nodes and pair[0] not in nodes and self.root(pair) not in saved_pairs:
                    nodes.add(pair[0])
                    todo.append(pair[0])
        return [node for node in self.forward if node in nodes]


def recompute_operands(node):
    """Returns the pairs from which a node recomputes its first output; None if that is impossible."""
    if node.op.recompute_as is not None:
        return [node.inputs[k] if k >= 0 else (node, -1 - k) for k in node.op.recompute_as[1]]
    return None if node.op.random or node.op.mutates else node.inputs


def recompute_nodes(parts, nodes, saved_pairs, specs):
    """Returns a graph whose backward part reads the values in `saved_pairs` and values recomputed by `nodes`, in order.

    The Specs of the new nodes are added to `specs`.
    """
    clones = {}
    for node in nodes:
        op = node.op if node.op.recompute_as is None else node.op.recompute_as[0]
        clone = Node(op, f"{node.name}_again", [clones.get(pair, pair) for pair in recompute_operands(node)],
                     node.attrs, place=node.place)
        for index in range(op.num_outputs):
            specs[clone, index] = specs[node, index]
            if (node, index) not in saved_pairs:
                clones[node, index] = clone, index
    return Rematerialization(parts, clones, specs).rewritten()


class Rematerialization(Rewriter):
    """The backward part with recomputed values as inputs; the forward part is unchanged."""

    def __init__(self, parts, clones, specs):
        super().__init__(parts.graph, specs)
        self.forward_nodes, self.clones = parts.forward_nodes, clones

    def replace(self, node):
        """Returns a node from the backward part with its new inputs."""
        if node.op is None or node in self.forward_nodes:
            return node
        inputs = tuple([self.clones.get(pair) or self.where[pair] for pair in node.inputs])
        return node if inputs == node.inputs else Node(node.op, node.name, inputs, node.attrs, place=node.place)


def cheap_to_recompute(parts, saved_pairs, specs, smallest, suits):
    """Returns [(bytes, bytes read and written to recompute them, pair)] for values that are cheap to recompute.

    saved_pairs: the pairs saved so far. smallest: the minimum number of bytes worth recomputing. suits(node): whether
    the node is cheap to recompute. The inputs of such nodes stay saved, so that they need not be recomputed first.
    """
    candidates, remaining, needed = [], set(saved_pairs), set()
    results = set(map(parts.root, parts.graph.heads))
    for pair in parts.saved:
        size = spec_bytes(specs[pair])
        if (pair not in saved_pairs or pair in results | needed or pair[0] not in parts.forward_nodes or pair[1]
                or size < smallest):
            continue
        remaining.discard(pair)
        nodes, read = _chain(parts, pair, remaining, suits)
        if not nodes:
            remaining.add(pair)
        else:
            needed |= read
            moved = sum(spec_bytes(specs[p]) for node in nodes for p in (*recompute_operands(node), (node, 0)))
            candidates.append((size, moved, pair))
    return candidates


def _chain(parts, pair, saved_pairs, suits):
    """Returns the nodes that recompute a pair (none if that is expensive), and the saved pairs that they read."""
    todo, nodes, read = [pair[0]], {pair[0]}, set()
    while todo:
        node = todo.pop()
        operands = recompute_operands(node)
        if operands is None or len(nodes) > LONGEST or not suits(node):
            return (), read
        for before in map(parts.root, operands):
            if before in saved_pairs:
                read.add(before)
            elif before[0] in parts.forward_nodes and before[0] not in nodes:
                nodes.add(before[0])
                todo.append(before[0])
    return nodes, read


def spec_bytes(spec):
    return math.prod(spec.shape) * spec.dtype.itemsize
