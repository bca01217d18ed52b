"""A pass over inference plans that packs the weights of fully connected layers and fuses the operators after them.

    FullyConnected, BatchNorm, an addition, an activation   -> _packed_dense, whose last input is the result of
    its parameters                                           -> _pack_dense

As in `prepack_convolution.py`, a BatchNorm is folded into the weight.
"""

from minigluon.symbol.graph import Node

from .. import engine
from ..kernels.nn import matrix_packed
from .prepack_convolution import ConvolutionPrepacking, Tail

__all__ = ["prepack_matrix"]


def prepack_matrix(draft):
    """Returns an inference plan's draft with nodes that pack weights."""
    if not draft.infers:
        return draft
    prepacking = MatrixPrepacking(draft)
    if not prepacking.tails:
        return draft
    result = prepacking.rewritten()
    lines = [f"{node.name}: " + ", ".join(op.name for op, _ in node.op.program)
             for node in result.nodes() if isinstance(node.op, matrix_packed.PackedDense)]
    return draft.after("prepack matrix", result, lines)


class MatrixPrepacking(ConvolutionPrepacking):
    """kept: the variables that persist across calls. A weight that is recomputed would have to be packed each time."""

    def __init__(self, draft):
        self.kept = set(draft.parameters)
        super().__init__(draft)

    def look_at(self, node):
        name = node.op.name
        if name == "FullyConnected":
            self.begin(node)
        elif name == "BatchNorm":
            self.join_norm(node)
        elif name in matrix_packed.ADDITIONS:
            self.join_addition(node)
        elif matrix_packed.activation_of(node.op) is not None:
            self.join(node, node.inputs[0])

    def begin(self, node):
        specs = [self.specs[pair] for pair in node.inputs]
        if (all(parent in self.kept for parent, _ in node.inputs[1:])
                and matrix_packed.suits(specs, self.specs[node, 0])):
            program = (node.op, tuple(range(len(node.inputs)))),
            self.tails[node] = Tail(node, program, node.inputs, "dense")

    def normalizes(self, node):
        """Returns whether a BatchNorm after a layer normalizes the columns, with statistics that persist."""
        last = len(self.specs[node, 0].shape) - 1
        return node.op.axis in (last, -1) and all(parent in self.kept for parent, _ in node.inputs[1:])

    def fits(self, op, tail):
        before = [line.name for line, _ in tail.program]
        if op.name == "BatchNorm":
            return len(before) == 1
        activated = matrix_packed.activation_of(tail.program[-1][0]) is not None
        return not activated and not {op.name, before[-1]} <= set(matrix_packed.ADDITIONS)

    def packed(self, node, tail):
        """Returns the PackedDense that replaces a node, after its DensePrepack."""
        (layer, operands), *rest = tail.program
        norm, others = next(((op, its) for op, its in rest if op.name == "BatchNorm"), (None, (0,)))
        inputs, positions = [self.where[pair] for pair in tail.inputs], (*operands[1:], *others[1:])
        pack = Node(matrix_packed.DensePrepack(layer=layer, norm=norm, isa=engine.isa()), f"{tail.conv.name}_packed",
                    [inputs[k] for k in positions], place=tail.conv.place)
        shapes = [self.specs[tail.inputs[k]].shape for k in positions]
        self.specs[pack, 0] = self.specs[node, 0]._replace(shape=pack.op.infer_shape(*shapes)[1][0])
        return Node(matrix_packed.PackedDense(program=tail.program), node.name, [*inputs, (pack, 0)], place=node.place)
