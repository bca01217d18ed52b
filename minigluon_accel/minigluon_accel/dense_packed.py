"""The pass over a plan that only infers: fully connected layers with packed weights, and with all that follows them.

    FullyConnected, BatchNorm, an addition, an activation   -> _packed_dense, whose last input is the result of
    its parameters                                           -> _pack_dense

As in `convolution_packed.py`; a BatchNorm is multiplied into the weight.
"""

from minigluon.hybrid.report import Report
from minigluon.symbol.graph import Node

from . import convolution_packed, engine
from .convolution_packed import Tail
from .kernels.nn import matrix_packed as dense_packed

__all__ = ["rewrite"]


def rewrite(graph, specs, reports, kept):
    """The graph of a plan that only infers, with such nodes; `specs` gets theirs. kept: see `Backend.rewrite`."""
    walk = Walk(graph, specs, len(graph.heads))
    walk.kept = set(kept)
    for node in walk.nodes:
        if node.op is not None:
            walk.look_at(node)
    if not walk.tails:
        return graph
    result = walk.rebuilt()
    if reports is not None:
        lines = [f"{node.name}: " + ", ".join(op.name for op, _ in node.op.program)
                 for node in result.nodes() if isinstance(node.op, dense_packed.PackedDense)]
        reports.append(Report("dense", graph, result, lines, specs))
    return result


class Walk(convolution_packed.Walk):
    """kept: the variables that stay from call to call; a weight that is computed anew would be packed each time."""

    def look_at(self, node):
        name = node.op.name
        if name == "FullyConnected":
            self.begin(node)
        elif name == "BatchNorm":
            self.join_norm(node)
        elif name in dense_packed.ADDITIONS:
            self.join_addition(node)
        elif dense_packed.activation_of(node.op) is not None:
            self.join(node, node.inputs[0])

    def begin(self, node):
        specs = [self.specs[pair] for pair in node.inputs]
        if (all(parent in self.kept for parent, _ in node.inputs[1:])
                and dense_packed.suits(specs, self.specs[node, 0])):
            program = (node.op, tuple(range(len(node.inputs)))),
            self.tails[node] = Tail(node, program, node.inputs, "dense")

    def normalizes(self, node):
        """Are the columns what a BatchNorm behind a layer normalizes, by statistics that are kept?"""
        last = len(self.specs[node, 0].shape) - 1
        return node.op.axis in (last, -1) and all(parent in self.kept for parent, _ in node.inputs[1:])

    def fits(self, op, tail):
        before = [line.name for line, _ in tail.program]
        if op.name == "BatchNorm":
            return len(before) == 1
        activated = dense_packed.activation_of(tail.program[-1][0]) is not None
        return not activated and not {op.name, before[-1]} <= set(dense_packed.ADDITIONS)

    def packed(self, node, tail, where):
        """The PackedDense in a node's place, behind its PackFilters."""
        (layer, operands), *rest = tail.program
        norm, others = next(((op, its) for op, its in rest if op.name == "BatchNorm"), (None, (0,)))
        inputs, kept = [where[pair] for pair in tail.inputs], (*operands[1:], *others[1:])
        pack = Node(dense_packed.PackDense(layer=layer, norm=norm, isa=engine.isa()), f"{tail.conv.name}_packed",
                    [inputs[k] for k in kept], place=tail.conv.place)
        shapes = [self.specs[tail.inputs[k]].shape for k in kept]
        self.specs[pack, 0] = self.specs[node, 0]._replace(shape=pack.op.infer_shape(*shapes)[1][0])
        return Node(dense_packed.PackedDense(program=tail.program), node.name, [*inputs, (pack, 0)], place=node.place)
