"""A pass over inference plans that packs the parameters of recurrent layers.

    _rnn_param_concat, RNN      -> _packed_rnn, whose second input is the result of
    the parameters              -> _pack_rnn

Packing does not pay off for one step of one item, which uses each weight only once.
"""

from minigluon.ops.rnn.layout import parameter_size
from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from .. import engine
from ..kernels.rnn.rnn_layers import reason_against
from ..kernels.rnn.rnn_packed import PackedRNN, RNNPrepack

__all__ = ["prepack_rnn"]


def prepack_rnn(draft):
    """Returns an inference plan's draft with nodes that pack parameters."""
    if not draft.infers:
        return draft
    prepacking = RNNPrepacking(draft)
    result = prepacking.rewritten()
    return draft.after("prepack rnn", result, prepacking.notes) if prepacking.notes else draft


class RNNPrepacking(Rewriter):
    """kept: the variables that persist across calls."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.kept = set(draft.parameters)

    def replace(self, node):
        """Replaces a layer whose parameters persist with a layer that reads packed parameters."""
        new, parameters = super().replace(node), _parameters(node, self.specs, self.kept)
        if not parameters:
            return new
        self.notes.append(f"{node.name}: {len(parameters)} parameters")
        return _packed(new, parameters, self.specs)


def _parameters(node, specs, params):
    """Returns the variables in the parameter vector of an RNN; None for other nodes, or if it includes other values."""
    if node.op is None or node.op.name != "RNN":
        return None
    inputs, outputs = [specs[pair] for pair in node.inputs], [specs[node, k] for k in range(node.op.num_outputs)]
    joined = node.inputs[1][0]
    if reason_against(node.op, inputs[0], [*inputs, *outputs]):
        return None
    if joined.op is None or joined.op.name != "_rnn_param_concat":
        return [node.inputs[1]] if joined in params else None
    pairs = [parent.inputs[0] if parent.op is not None and parent.op.name == "Reshape" else (parent, index)
             for parent, index in joined.inputs]
    return pairs if all(parent in params and specs[parent, 0].dtype == inputs[0].dtype for parent, _ in pairs) else None


def _packed(node, parameters, specs):
    size = specs[node.inputs[0]].shape[-1]
    pack = Node(RNNPrepack(rnn=node.op, size=size, isa=engine.isa()), f"{node.name}_packed", parameters,
                place=node.place)
    specs[pack, 0] = specs[parameters[0]]._replace(shape=pack.op.infer_shape()[1][0])
    op = PackedRNN(rnn=node.op, ready=parameter_size(node.op, size))
    return Node(op, node.name, [node.inputs[0], (pack, 0), *node.inputs[2:]], place=node.place)
