"""A pass over inference plans that packs the filters of convolutions and fuses the operators that follow.

    Convolution, BatchNorm, an addition, relu or clip   -> _packed_conv, whose last input is the result of
    its parameters                                      -> _pack_filters

BatchNorm then uses the moving statistics. It scales and shifts each channel, so the filters are scaled before they are
packed. `_pack_filters` depends only on parameters, so a plan computes it once for many calls: see
`minigluon.hybrid.parameter_constants`.
"""

from typing import NamedTuple

from minigluon.symbol.graph import Node

from .. import engine
from ..kernels.nn import convolution_packed
from ..operators.fused_convolution import PackedConv
from .fuse_neighbours import NeighbourFusion, is_relu

__all__ = ["ConvolutionPrepacking", "Tail", "prepack_convolution"]


def prepack_convolution(draft):
    """Returns an inference plan's draft with nodes that pack filters."""
    if not draft.infers:
        return draft
    prepacking = ConvolutionPrepacking(draft)
    if not prepacking.tails:
        return draft
    result = prepacking.rewritten()
    return draft.after("prepack convolution", result, packed_lines(result))


class Tail(NamedTuple):
    """A program that begins with a convolution. inputs: pairs of the graph."""

    conv: Node
    program: tuple
    inputs: list
    way: str


class ConvolutionPrepacking(NeighbourFusion):
    """Collects tails. tails: {node: the Tail whose last line it is}."""

    def __init__(self, draft):
        self.tails = {}
        super().__init__(draft)

    def look_at(self, node):
        name = node.op.name
        if name in ("Convolution", "_conv_relu"):
            self.begin(node)
        elif name == "BatchNorm":
            self.join_norm(node)
        elif name in ("elemwise_add", "broadcast_add"):
            self.join_addition(node)
        elif is_relu(node) or (name == "clip" and node.op.a_min == 0 and node.op.a_max > 0):
            self.join(node, node.inputs[0])

    def begin(self, node):
        program = node.op.program if node.op.name == "_conv_relu" else ((node.op, tuple(range(len(node.inputs)))),)
        specs = [self.specs[pair] for pair in node.inputs]
        way = convolution_packed.way_for(program[0][0], specs, self.specs[node, 0])
        if way is not None:
            self.tails[node] = Tail(node, program, node.inputs, way)

    def join_norm(self, node):
        used = any(self.users[node, i] or (node, i) in self.heads for i in range(1, node.op.num_outputs))
        same = all(self.specs[pair].dtype == self.specs[node, 0].dtype for pair in node.inputs)
        if same and not used and self.normalizes(node):
            self.join(node, node.inputs[0], node.inputs[1:])

    def normalizes(self, node):
        """Returns whether a BatchNorm normalizes the channels."""
        return node.op.axis == 1

    def join_addition(self, node):
        for one, other in (node.inputs, node.inputs[::-1]):
            alike = self.specs[one] == self.specs[other] == self.specs[node, 0]
            if alike and one != other and self.join(node, one, [other]):
                return

    def join(self, node, before, more=()):
        """Appends a node, if possible, as the line after this operand; returns whether it did. more: the node's other
        operands."""
        tail = self.tails.get(before[0])
        if tail is None or self.only_user(before) is not node:
            return False
        if not self.fits(node.op, tail):
            return False
        numbers = tuple(range(len(tail.inputs), len(tail.inputs) + len(more)))
        line = node.op, (-len(tail.program), *numbers)
        self.tails[node] = tail._replace(program=(*tail.program, line), inputs=[*tail.inputs, *more])
        return True

    def fits(self, op, tail):
        """Returns whether an operator can be the next line."""
        return convolution_packed.fits_behind(op, tail.program, tail.way)

    # -- the new graph ----------------------------------------------------------------------------------------------

    def replace(self, node):
        """Replaces the last node of a tail with a convolution that performs the whole tail."""
        tail = self.tails.get(node)
        return super().replace(node) if tail is None else self.packed(node, tail)

    def packed(self, node, tail):
        """Returns the PackedConv that replaces a node, after its FilterPrepack."""
        (conv, operands), *rest = tail.program
        norm, others = next(((op, its) for op, its in rest if op.name == "BatchNorm"), (None, (0,)))
        inputs, weight = [self.where[pair] for pair in tail.inputs], self.specs[tail.inputs[1]]
        length = convolution_packed.length_of(conv, weight.shape, tail.way)
        op = convolution_packed.FilterPrepack(conv=conv, norm=norm, way=tail.way, length=length, isa=engine.isa())
        pack = Node(op, f"{tail.conv.name}_packed", [inputs[k] for k in (*operands[1:], *others[1:])],
                    place=tail.conv.place)
        self.specs[pack, 0] = weight._replace(shape=(length + weight.shape[0],))
        op = PackedConv(program=tail.program, way=tail.way, length=length)
        return Node(op, node.name, [*inputs, (pack, 0)], place=node.place)


def packed_lines(result):
    """Returns lines for the report, each about the computation of one node."""
    return [f"{node.name}: " + ", ".join(op.name for op, _ in node.op.program) + f" ({node.op.way})"
            for node in result.nodes() if isinstance(node.op, PackedConv)]
