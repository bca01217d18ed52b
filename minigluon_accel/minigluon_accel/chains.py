"""The pass that fuses chains of elementwise operators, further than `minigluon.hybrid.fuse` does:

    broadcasting    operators that stretch arrays, and those with arrays to be stretched, take part (`Chain`)
    copies          a cheap operator that several chains use is computed in each of them, instead of stored for all: the
                    gradient of x · x reads x, and not the stored square

A chain is one pass over memory. Its reference is its operators' own `forward`, one after the other.
"""

import numpy as np

from minigluon.backend.numpy import kernel_for as numpy_kernel_for
from minigluon.backend.wide import widened
from minigluon.hybrid.fuse import Fused
from minigluon.hybrid.report import Report
from minigluon.ops import REGISTRY
from minigluon.ops.math.broadcast import Broadcast
from minigluon.ops.nn.activation import channel_shape
from minigluon.ops.shapes import broadcast, size_of
from minigluon.symbol.graph import Node, topological
from minigluon.symbol.symbol import Symbol

from .kernels import programs
from .kernels.loops import write
from .kernels.math.reduce import spread_shape

__all__ = ["Chain", "Walk", "rewrite"]

STRETCHES = {"broadcast_to", "broadcast_axis", "broadcast_like", "_stretch_like", "_along_channels", "_spread_like"}


class Chain(Fused):
    """A `Fused` whose inputs may be stretched: input k, seen in shapes[k], to `shape`, that of the output."""

    fields = {"program": None, "shapes": None, "shape": None}
    elementwise = False         # it is complete, and no part of a longer chain

    def forward(self, *inputs):
        result = super().forward(*[x.reshape(shape) for x, shape in zip(inputs, self.shapes, strict=True)])
        return np.broadcast_to(result, self.shape).copy()


@numpy_kernel_for(Chain)
def chain(op, inputs, outputs):
    """Where no backend has a kernel for it."""
    return lambda inputs, targets: np.copyto(targets[0], op.forward(*inputs))


def rewrite(graph, specs, count, reports, walk_of=None):
    """The graph with chains fused; `specs` gets theirs. Nothing is fused into the first `count` outputs from behind.

    walk_of: the class that decides what joins a chain, if it is not Walk.
    """
    walk = (walk_of or Walk)(graph, specs, count)
    if not any(walk.members.values()):
        return graph
    result = walk.rebuilt()
    if reports is not None:
        reports.append(Report("chains", graph, result, walk.notes, specs))
    return result


class Walk:
    """members: {last node of a chain: the others, the last first}. roots: {node: last nodes of its chains}.

    A backend with other kernels overrides the numbers and `cost`.
    """

    dtypes = (np.dtype("float32"), np.dtype("float64"))
    max_lines = 32
    max_cost = 2               # of an operator that is computed twice rather than stored

    def __init__(self, graph, specs, count):
        self.graph, self.specs, self.nodes = graph, specs, graph.nodes()
        self.early = set(topological(graph.heads[:count]))
        self.heads = {node for node, _ in graph.heads}
        self.users = {}
        for node in self.nodes:
            for parent, _ in node.inputs:
                self.users.setdefault(parent, set()).add(node)
        self.members, self.roots, self.notes = {}, {}, []
        self.costs = {}             # (operator, number of inputs) -> `cost`
        for node in reversed(self.nodes):
            if node.op is not None and self.joins(node):
                self.place(node)

    def cost(self, op, count):
        """How long an operator on so many inputs takes beside an addition; None if it cannot be part of a chain."""
        lines = programs.Lines()
        written = write(op, lines, [((), k) for k in range(count)])
        return None if written is None else programs.cost(lines.lines)

    def cost_of(self, node):
        """`cost` of a node, found once for all that are alike."""
        key = node.op, len(node.inputs)
        if key not in self.costs:
            self.costs[key] = self.cost(*key)
        return self.costs[key]

    def joins(self, node):
        """Can it be lines of a program?"""
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
        """Let a node join the chains of its users, or begin one of its own."""
        users = self.users.get(node, ())
        roots = {root for user in users for root in self.roots.get(user, ())}
        fits = (node not in self.heads and roots and all(user in self.roots for user in users)
                and all(self.fits(node, root) for root in roots))
        same_part = fits and all((root in self.early) == (node in self.early) for root in roots)
        if fits and (len(roots) == 1 and same_part or len(roots) > 1 and self.is_cheap(node)):
            self.roots[node] = roots
            for root in roots:
                self.members[root].append(node)
        else:
            self.roots[node] = {node}
            self.members[node] = []

    def fits(self, node, root):
        return (self.specs[node, 0] == self.specs[root, 0] and len(self.members[root]) < self.max_lines
                and (node in self.early or root not in self.early))

    def is_cheap(self, node):
        """Does it take less to compute it twice than to store it? Its operands live on in its place."""
        read = sum(size_of(self.specs[pair].shape) for pair in set(self.operands(node)))
        if read > size_of(self.specs[node, 0].shape):
            return False
        return node.op.name in STRETCHES or self.cost_of(node) <= self.max_cost

    def operands(self, node):
        return node.inputs[:1] if node.op.name in STRETCHES else node.inputs

    # -- the new graph ----------------------------------------------------------------------------------------------

    def rebuilt(self):
        where = {}
        for node in self.nodes:
            members = self.members.get(node)
            if node in self.roots and members is None:
                continue                        # part of chains only
            if members:
                made = self.chain([*reversed(members), node], where)
                self.notes.append(f"{node.name}: " + ", ".join(n.op.name for n in (*reversed(members), node)))
            else:
                made = node.with_inputs(where[pair] for pair in node.inputs)
            for index in range(1 if node.op is None else node.op.num_outputs):
                where[node, index] = made, index
                self.specs[made, index] = self.specs[node, index]
        return Symbol([where[pair] for pair in self.graph.heads])

    def chain(self, group, where):
        """One node for a group; its last node is the result."""
        shape = self.specs[group[-1], 0].shape
        numbers = {node: number for number, node in enumerate(group)}
        inputs, program = [], []                # (pair, the shape in which it is stretched)
        for node in group:
            operands = []
            for pair in self.operands(node):
                if pair[0] in numbers:
                    operands.append(-1 - numbers[pair[0]])
                    continue
                entry = where[pair], self.seen_as(node, pair)
                if entry not in inputs:
                    inputs.append(entry)
                operands.append(inputs.index(entry))
            program.append((REGISTRY["identity"]() if node.op.name in STRETCHES else node.op, tuple(operands)))
        pairs, shapes = [pair for pair, _ in inputs], tuple(seen for _, seen in inputs)
        op = Chain(program=tuple(program), shapes=shapes, shape=shape)
        return Node(op, group[-1].name, pairs, place=group[-1].place)

    def seen_as(self, node, pair):
        shape, out = self.specs[pair].shape, self.specs[node, 0].shape
        if node.op.name == "_spread_like":
            shape = spread_shape(node.op, out)
        elif node.op.name == "_along_channels":
            shape = channel_shape(shape, out)
        assert broadcast(shape, out) == out, (node.op, shape, out)
        return shape
