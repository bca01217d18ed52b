"""A pass that fuses chains of elementwise operators, going further than `minigluon.hybrid.fuse`:

    broadcasting    operators that broadcast arrays, and operators whose arrays are broadcast, take part (`Chain`)
    copies          a cheap operator that several chains use is computed in each of them, instead of being stored once:
                    the gradient of x · x reads x, not the stored square
    saved           a value that the backward part reads, or that is returned to the caller, is an extra output of its
                    chain

A chain is one pass over memory. Its reference calls the `forward` functions of its operators in order.
"""

import numpy as np

from minigluon.backend.numpy import kernel_for as numpy_kernel_for
from minigluon.backend.wide import widened
from minigluon.hybrid.fused_chain import FusedChain
from minigluon.ops import REGISTRY
from minigluon.ops.math.broadcast import Broadcast
from minigluon.ops.nn.activation import channel_shape
from minigluon.ops.shapes import broadcast, size_of
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from ..kernels import programs
from ..kernels.loops import write
from ..kernels.math.reduce import spread_shape

__all__ = ["Chain", "ElementwiseFusion", "fuse_elementwise"]

STRETCHES = {"broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like", "_along_channels", "_spread_like"}


class Chain(FusedChain):
    """A `FusedChain` whose inputs may be broadcast: input k is reshaped to shapes[k] and broadcast to `shape`.

    saved: indices of operators whose results are extra outputs, after the result of the last operator.
    """

    fields = {"program": None, "shapes": None, "shape": None, "saved": None}
    elementwise = False         # the chain is complete, and cannot join a longer chain

    @classmethod
    def complete(cls, attributes):
        return {"saved": (), **attributes}

    @property
    def num_outputs(self):
        return 1 + len(self.saved)

    def forward(self, *inputs):
        views = [x.reshape(shape) for x, shape in zip(inputs, self.shapes, strict=True)]
        ends = [len(self.program), *[number + 1 for number in self.saved]]
        results = [FusedChain(program=self.program[:end]).forward(*views) for end in ends]
        results = tuple([np.broadcast_to(result, self.shape).copy() for result in results])
        return results if self.saved else results[0]


@numpy_kernel_for(Chain)
def chain(op, inputs, outputs):
    """Runs a chain for which no backend has a kernel."""
    def write(inputs, targets):
        results = op.forward(*inputs)
        for target, result in zip(targets, results if op.saved else [results], strict=True):
            np.copyto(target, result)
    return write


def fuse_elementwise(draft, fusion_of=None):
    """Fuses chains, but never across the boundary between the forward and the backward part.

    fusion_of: the class that decides which operators join a chain; by default ElementwiseFusion.
    """
    fusion = (fusion_of or ElementwiseFusion)(draft)
    if not any(fusion.members.values()):
        return draft
    return draft.after("fuse elementwise", fusion.rewritten(), fusion.notes)


class ElementwiseFusion(Rewriter):
    """members: {last node of a chain: the other nodes, last first}. roots: {node: last nodes of its chains}. saved:
    nodes that are outputs of a chain but not its last node.

    A backend with other kernels overrides the constants and `cost`.
    """

    dtypes = (np.dtype("float32"), np.dtype("float64"))
    max_lines = 32
    max_cost = 2                # the maximum cost of an operator that is computed twice instead of stored
    saves = True                # whether a chain can have several outputs

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.forward_nodes, self.results = self.needed_for_first(draft.results), {node for node, _ in self.graph.heads}
        self.readers = {}           # node -> the nodes that read one of its outputs
        for node in self.nodes:
            for parent, _ in node.inputs:
                self.readers.setdefault(parent, set()).add(node)
        self.members, self.roots, self.saved = {}, {}, set()
        self.costs = {}             # (operator, number of inputs) -> `cost`
        for node in reversed(self.nodes):
            if node.op is not None and self.joins(node):
                self.place(node)

    def cost(self, op, count):
        """Returns the cost of an operator with `count` inputs, in additions, or None if it cannot be in a chain."""
        lines = programs.LineProgram()
        operand = write(op, lines, [((), k) for k in range(count)])
        return None if operand is None else programs.cost(lines.lines)

    def cost_of(self, node):
        """Returns the `cost` of a node, cached for all nodes with the same operator."""
        key = node.op, len(node.inputs)
        if key not in self.costs:
            self.costs[key] = self.cost(*key)
        return self.costs[key]

    def joins(self, node):
        """Returns whether the node can become lines of a program."""
        op, out = node.op, self.specs[node, 0]
        if (op.num_outputs != 1 or not node.inputs or op.takes_train or op.random or op.mutates
                or widened(out).dtype not in self.dtypes or 0 in out.shape):
            return False
        specs = [self.specs[pair] for pair in node.inputs]
        if op.name in STRETCHES:
            return specs[0].dtype == out.dtype
        if any(spec.dtype != out.dtype for spec in specs):
            return False
        if not isinstance(op, Broadcast) and any(spec.shape != out.shape for spec in specs):
            return False
        return op.elementwise and self.cost_of(node) is not None

    def place(self, node):
        """Adds a node to the chains of its users, or begins a new chain."""
        users = self.readers.get(node, ())
        roots = {root for user in users for root in self.roots.get(user, ())}
        fits = (node not in self.results and roots and all(user in self.roots for user in users)
                and all(self.fits(node, root) for root in roots))
        same_part = fits and all((root in self.forward_nodes) == (node in self.forward_nodes) for root in roots)
        if fits and (len(roots) == 1 and same_part or len(roots) > 1 and self.is_cheap(node)):
            self.roots[node] = roots
            for root in roots:
                self.members[root].append(node)
        elif self.saves and node in self.forward_nodes and (root := self.root_among(users, node)) is not None:
            self.roots[node] = {root}
            self.members[root].append(node)
            self.saved.add(node)
        else:
            self.roots[node] = {node}
            self.members[node] = []

    def root_among(self, users, node):
        """Returns the last node of the only chain that contains all forward users and can accept the node, or None.

        All other readers come later, so the chain does not depend on them.
        """
        early = [user for user in users if user in self.forward_nodes]
        roots = {root for user in early for root in self.roots.get(user, {None})
                 if root is None or root in self.forward_nodes}
        root = roots.pop() if len(roots) == 1 else None
        return root if root is not None and self.fits(node, root) else None

    def fits(self, node, root):
        return (self.specs[node, 0] == self.specs[root, 0] and len(self.members[root]) < self.max_lines
                and (node in self.forward_nodes or root not in self.forward_nodes))

    def is_cheap(self, node):
        """Returns whether computing the node twice costs less than storing it, although its operands live longer."""
        read = sum(size_of(self.specs[pair].shape) for pair in set(self.operands(node)))
        if read > size_of(self.specs[node, 0].shape):
            return False
        return node.op.name in STRETCHES or self.cost_of(node) <= self.max_cost

    def operands(self, node):
        return node.inputs[:1] if node.op.name in STRETCHES else node.inputs

    # -- the new graph ----------------------------------------------------------------------------------------------

    def visit(self, node):
        """Creates a chain in place of its last node."""
        members = self.members.get(node)
        if members:
            group = [*reversed(members), node]
            chained = self.chain(group)
            self.notes.append(f"{node.name}: " + ", ".join(n.op.name for n in group))
            for index, number in enumerate(chained.op.saved, 1):
                self.where[group[number], 0] = chained, index
                self.specs[chained, index] = self.specs[group[number], 0]
            self.put(node, chained)
        elif node not in self.roots or members is not None:     # the other nodes are only parts of chains
            super().visit(node)

    def chain(self, group):
        """Returns one node for a group; the result of the group's last node is the first output."""
        shape = self.specs[group[-1], 0].shape
        numbers = {node: number for number, node in enumerate(group)}
        inputs, program = [], []                # (pair, the shape to which it is broadcast)
        for node in group:
            operands = []
            for pair in self.operands(node):
                if pair[0] in numbers:
                    operands.append(-1 - numbers[pair[0]])
                    continue
                entry = self.where[pair], self.view_shape(node, pair)
                if entry not in inputs:
                    inputs.append(entry)
                operands.append(inputs.index(entry))
            program.append((REGISTRY["identity"]() if node.op.name in STRETCHES else node.op, tuple(operands)))
        pairs, shapes = [pair for pair, _ in inputs], tuple(shape for _, shape in inputs)
        saved = tuple([number for number, node in enumerate(group) if node in self.saved])
        op = Chain(program=tuple(program), shapes=shapes, shape=shape, saved=saved)
        return Node(op, group[-1].name, pairs, place=group[-1].place)

    def view_shape(self, node, pair):
        shape, out = self.specs[pair].shape, self.specs[node, 0].shape
        if node.op.name == "_spread_like":
            shape = spread_shape(node.op, out)
        elif node.op.name == "_along_channels":
            shape = channel_shape(shape, out)
        assert broadcast(shape, out) == out, (node.op, shape, out)
        return shape
