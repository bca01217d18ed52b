"""What the passes that save memory do to a graph: values of the forward part are computed again in the backward part.

`recompute.py` and `budget.py` decide which. A node computes its outputs again where its operator says nothing else. For
one that overwrites inputs or draws random numbers, `Op.again` may name another operator, which makes the first output
from what is kept: that of `BatchNorm` from its statistics.
"""

import math

from ..symbol.graph import Node, topological
from ..symbol.rewrite import Rewriter

__all__ = ["Parts", "cheap_to_make", "compute_again", "operands_again", "spec_bytes"]

LONGEST = 4         # nodes that make one value again, if they are to be cheap


class Parts:
    """The forward and the backward nodes of a graph, each in order, and what the backward part reads of the forward.

    saved: pairs (node, output); for a view the pair that it is a view of.
    """

    def __init__(self, graph, count):
        self.graph, self.count = graph, count
        self.forward = [node for node in topological(graph.heads[:count]) if node.op is not None]
        self.early = set(self.forward)
        self.backward = [node for node in graph.nodes() if node.op is not None and node not in self.early]
        read = [pair for node in self.backward for pair in node.inputs if pair[0] in self.early]
        self.saved = list(dict.fromkeys(map(self.root, read)))

    def root(self, pair):
        """What a pair is a view of, itself for most."""
        while pair[0] in self.early and pair[0].op.is_view:
            pair = pair[0].inputs[0]
        return pair

    def needed(self, wanted, kept):
        """The nodes that compute the pairs `wanted` again from those in `kept` and from variables, in order."""
        todo, found = [node for node, _ in wanted], {node for node, _ in wanted}
        while todo:
            for pair in operands_again(todo.pop()):
                if pair[0] in self.early and pair[0] not in found and self.root(pair) not in kept:
                    found.add(pair[0])
                    todo.append(pair[0])
        return [node for node in self.forward if node in found]


def operands_again(node):
    """The pairs that a node computes its first output from when it does so again; None where that is impossible."""
    if node.op.again is not None:
        return [node.inputs[k] if k >= 0 else (node, -1 - k) for k in node.op.again[1]]
    return None if node.op.random or node.op.mutates else node.inputs


def compute_again(parts, nodes, kept, specs):
    """The graph whose backward part reads what `nodes`, in order, compute again; what is in `kept` it reads as before.

    `specs` gets those of the new nodes.
    """
    again = {}
    for node in nodes:
        op = node.op if node.op.again is None else node.op.again[0]
        clone = Node(op, f"{node.name}_again", [again.get(pair, pair) for pair in operands_again(node)],
                     node.attrs, place=node.place)
        for index in range(op.num_outputs):
            specs[clone, index] = specs[node, index]
            if (node, index) not in kept:
                again[node, index] = clone, index
    return Rematerialization(parts, again, specs).rewritten()


class Rematerialization(Rewriter):
    """The backward part with its inputs taken from what was computed again; the forward part stays."""

    def __init__(self, parts, again, specs):
        super().__init__(parts.graph, specs)
        self.early, self.again = parts.early, again

    def replace(self, node):
        """A node of the backward part on its new inputs."""
        if node.op is None or node in self.early:
            return node
        inputs = tuple([self.again.get(pair) or self.where[pair] for pair in node.inputs])
        return node if inputs == node.inputs else Node(node.op, node.name, inputs, node.attrs, place=node.place)


def cheap_to_make(parts, kept, specs, smallest, suits):
    """[(bytes, bytes read and written to make them again, pair)] of values that a few light nodes make from kept ones.

    kept: the pairs that are kept so far. smallest: bytes that are worth it. suits(node): is it light? What one of them
    is made from stays: it need not be made first, and earlier than it is read.
    """
    found, left, needed = [], set(kept), set()
    results = set(map(parts.root, parts.graph.heads))
    for pair in parts.saved:
        size = spec_bytes(specs[pair])
        if pair not in kept or pair in results | needed or pair[0] not in parts.early or pair[1] or size < smallest:
            continue
        left.discard(pair)
        nodes, read = _chain(parts, pair, left, suits)
        if not nodes:
            left.add(pair)
        else:
            needed |= read
            moved = sum(spec_bytes(specs[p]) for node in nodes for p in (*operands_again(node), (node, 0)))
            found.append((size, moved, pair))
    return found


def _chain(parts, pair, kept, suits):
    """The nodes that make a pair again, none if they are not light and few; and the kept pairs that they read."""
    todo, nodes, read = [pair[0]], {pair[0]}, set()
    while todo:
        node = todo.pop()
        operands = operands_again(node)
        if operands is None or len(nodes) > LONGEST or not suits(node):
            return (), read
        for before in map(parts.root, operands):
            if before in kept:
                read.add(before)
            elif before[0] in parts.early and before[0] not in nodes:
                nodes.add(before[0])
                todo.append(before[0])
    return nodes, read


def spec_bytes(spec):
    return math.prod(spec.shape) * spec.dtype.itemsize
