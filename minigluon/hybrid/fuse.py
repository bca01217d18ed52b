"""The fusion pass: chains of elementwise operators become one node.

Separate operators would each read and write entire arrays, through all levels of memory. The fused node computes them
in blocks that stay in the cache, so only the first operands and the last result pass through memory.
"""

from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .fused_chain import FusedChain

__all__ = ["fuse"]


def fuse(draft):
    """Fuse chains of elementwise operators, but not across the boundary between the forward and the backward part."""
    fusion = Fusion(draft)
    return draft.after("fuse", fusion.rewritten(), fusion.notes or ["no chain of elementwise operators"])


class Fusion(Rewriter):
    """groups: {node: the nodes that are fused with it, in order}."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.groups = _groups(self.graph, self.nodes, self.specs, self.needed_for_first(draft.results))

    def visit(self, node):
        """Create a group's node in place of its last node, and skip its other nodes."""
        group = self.groups.get(node)
        if group is None:
            super().visit(node)
        elif group[-1] is node:
            self.put(node, _fuse_group(group, self.where))
            self.notes.append(f"{node.name}: " + ", ".join(f"{n.op.name} {n.name!r}" for n in group))


def _groups(graph, nodes, specs, forward_nodes):
    """Return {node: the nodes that are fused with it, in order}, for nodes in groups of at least two."""
    users = {}
    for node in nodes:
        for parent, _ in node.inputs:
            users.setdefault(parent, set()).add(node)
    heads = {node for node, _ in graph.heads}
    root_of = {}
    for node in reversed(nodes):
        if not _is_elementwise(node, specs):
            continue
        roots = {root_of.get(user) for user in users.get(node, ())}
        joins = len(roots) == 1 and None not in roots and node not in heads
        root = roots.pop() if joins else node
        same = specs[root, 0] == specs[node, 0] and (root in forward_nodes) == (node in forward_nodes)
        root_of[node] = root if same else node
    groups = {}
    for node in nodes:
        if node in root_of:
            groups.setdefault(root_of[node], []).append(node)
    return {node: group for group in groups.values() if len(group) > 1 for node in group}


def _is_elementwise(node, specs):
    return (node.op is not None and node.op.elementwise and node.op.num_outputs == 1 and len(node.inputs) > 0
            and not node.op.takes_train and not node.op.random and not node.op.mutates
            and all(specs[pair] == specs[node, 0] for pair in node.inputs))


def _fuse_group(group, where):
    """Return one node for a group of nodes; other nodes use only the group's last node."""
    lines = {node: number for number, node in enumerate(group)}
    inputs, program = [], []
    for node in group:
        operands = []
        for pair in node.inputs:
            if pair[0] in lines:
                operands.append(-1 - lines[pair[0]])
                continue
            if where[pair] not in inputs:
                inputs.append(where[pair])
            operands.append(inputs.index(where[pair]))
        program.append((node.op, tuple(operands)))
    return Node(FusedChain(program=tuple(program)), group[-1].name, inputs, place=group[-1].place)
