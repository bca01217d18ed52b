"""A pass over plans with gradients that makes unidirectional recurrent layers read their parameters in place.

    _rnn_param_concat, RNN                  -> _rnn_separate_weights
    _backward_RNN, the parts of a gradient  -> _rnn_separate_weights_grad
    _rnn_data_grad                          -> _rnn_separate_weights_data_grad

Joining the parameters would store them and their gradients twice.
"""

from minigluon.symbol.graph import Node
from minigluon.symbol.rewrite import Rewriter

from ..kernels.rnn.rnn_layers import reason_against
from ..kernels.rnn.rnn_separate_weights import SeparateWeightsRNN, SeparateWeightsRNNDataGrad, SeparateWeightsRNNGrad

__all__ = ["split_rnn_parameters"]

KINDS = {"RNN": SeparateWeightsRNN, "_backward_RNN": SeparateWeightsRNNGrad,
         "_rnn_data_grad": SeparateWeightsRNNDataGrad}


def split_rnn_parameters(draft):
    """Returns a training plan's draft whose unidirectional recurrent layers read their parameters in place."""
    if draft.infers:
        return draft
    split = RNNParameterSplit(draft)
    if not split.joined:
        return draft
    notes = [f"{node.name}: {len(node.inputs)} parameters stay apart" for node in split.joined]
    return draft.after("split rnn parameters", split.rewritten(), notes)


def _parameters(node):
    """Returns the index of the input that holds the parameter vector."""
    return node.op.list_arguments().index("parameters")


def _suits(joined, users, specs, heads):
    """Returns whether only kernels for separate parameters read the vector and its gradient is split immediately."""
    readers = users[joined, 0]
    if (joined, 0) in heads or not any(node.op.name == "_backward_RNN" for node in readers):
        return False
    for node in readers:
        if node.op.name not in KINDS or node.op.sides == 2:
            return False
        outputs = [specs[node, k] for k in range(node.op.num_outputs)]
        inputs = [specs[pair] for pair in node.inputs]
        data = outputs[0] if node.op.name == "_rnn_data_grad" else specs[node.inputs[_data(node)]]
        if node.inputs[_parameters(node)] != (joined, 0) or reason_against(node.op, data, [*inputs, *outputs]):
            return False
        if node.op.name == "_backward_RNN":
            cuts = users[node, 0]
            if (node, 0) in heads or [cut.op.name for cut in cuts] != ["_concat_grad"]:
                return False
            if not all(_has_its_shape(cuts[0], k, pair, users, specs, heads) for k, pair in enumerate(joined.inputs)):
                return False
    return True


def _source(pair):
    """Returns the parameter before it was reshaped for joining."""
    node, _ = pair
    return node.inputs[0] if node.op is not None and node.op.name == "Reshape" else pair


def _has_its_shape(cut, index, pair, users, specs, heads):
    """Returns whether part of the gradient is read only in the parameter's shape."""
    shape = specs[_source(pair)].shape
    return specs[pair].shape == shape or (cut, index) not in heads and all(
        user.op.is_view and specs[user, 0].shape == shape for user in users[cut, index])


def _data(node):
    return node.op.list_arguments().index("data")


class RNNParameterSplit(Rewriter):
    """joined: {the parameter vectors that disappear}. cuts: the nodes that split the gradient of such a vector."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.joined = {node: None for node in self.nodes if node.op is not None and node.op.name == "_rnn_param_concat"
                       and _suits(node, self.users, self.specs, self.heads)}
        self.cuts = {self.users[node, 0][0] for parent in self.joined for node in self.users[parent, 0]
                     if node.op.name == "_backward_RNN"}

    def visit(self, node):
        """Makes nodes that read a vector, and nodes that read their results, use the parts instead."""
        if node in self.joined:
            return
        if node in self.cuts:
            grad = self.where[node.inputs[0]][0]
            self.where.update({(node, k): (grad, k) for k in range(node.op.num_outputs)})
        elif self._is_there(node):
            self.where[node, 0] = self.where[node.inputs[0]]
        else:
            parent = next((parent for parent, _ in node.inputs if parent in self.joined), None)
            if parent is None:
                super().visit(node)
            else:
                self._replace(node, parent)

    def _is_there(self, node):
        """Returns whether the node is a view of a part of a gradient that already has that view's shape."""
        return (node.inputs and node.inputs[0][0] in self.cuts and node.op.is_view
                and self.specs[node, 0].shape == self.specs[self.where[node.inputs[0]]].shape)

    def _replace(self, node, joined):
        """Returns the replacement of a node that reads the vector."""
        parts, name, place = [_source(pair) for pair in joined.inputs], node.op.name, _parameters(node)
        reads_weight = name == "_rnn_data_grad"
        data = (node, 0) if reads_weight else node.inputs[_data(node)]
        inputs = [*node.inputs[:place], *(parts[:1] if reads_weight else parts), *node.inputs[place + 1:]]
        kind, size = KINDS[name], self.specs[data].shape[2]
        new = Node(kind(rnn=node.op, size=size), node.name, [self.where[pair] for pair in inputs], place=node.place)
        if name != "_backward_RNN":
            self.put(node, new)
            return
        for index, pair in enumerate(parts):
            self.specs[new, index] = self.specs[pair]
        self.where[node, 0] = new, 0
        for index in range(1, node.op.num_outputs):
            self.where[node, index] = new, len(parts) - 1 + index
            self.specs[new, len(parts) - 1 + index] = self.specs[node, index]
