"""A pass for max pooling: for the backward pass, it keeps each window's argmax instead of the data and the result.

The gradient of `Pooling` searches its data for the maxima, and the data is often the largest saved array. If windows
are disjoint, the forward pass can compute the indices at little cost (`ops/nn/pooling_argmax.py`).
"""

import numpy as np

from ..backend import Spec
from ..ops import REGISTRY
from ..ops.nn.pooling_argmax import NonOverlappingWindows
from ..symbol.graph import Node
from ..symbol.rewrite import Rewriter
from .conditions import only_with

__all__ = ["pooling_argmax"]


@only_with("_max_pooling_grad")
def pooling_argmax(draft):
    """Makes max pooling and its gradient share the argmax of each window."""
    sharing = PoolingArgmax(draft)
    if not sharing.pools:
        return draft
    notes = [f"{len(sharing.pools)} max poolings save their argmax"]
    return draft.after("pooling argmax", sharing.rewritten(), notes)


class PoolingArgmax(Rewriter):
    """pools: the pooling nodes whose indices are kept. gradients: {a pooling's gradient node: the pooling node}."""

    def __init__(self, draft):
        super().__init__(draft.graph, draft.specs)
        self.gradients = {node: node.inputs[2][0] for node in self.nodes if _is_gradient_of_its_pooling(node)}
        self.pools = set(self.gradients.values())

    def replace(self, node):
        """Returns a pooling node with its indices as a second output, or a gradient node that reads them."""
        inputs = [self.where[pair] for pair in node.inputs]
        if node in self.pools:
            new = Node(REGISTRY["_max_pooling_argmax"](**node.op.attributes), node.name, inputs, place=node.place)
            self.specs[new, 1] = Spec(self.specs[node, 0].shape, np.dtype("uint8"))
            return new
        if node in self.gradients:
            grad, data, (pooling, _) = inputs
            op = REGISTRY["_max_pooling_argmax_grad"](**node.op.attributes)
            return Node(op, node.name, [grad, (pooling, 1), data], place=node.place)
        return super().replace(node)


def _is_gradient_of_its_pooling(node):
    if node.op is None or node.op.name != "_max_pooling_grad":
        return False
    _, data, (pooling, _) = node.inputs
    return (pooling.op is not None and pooling.op.name == "Pooling" and pooling.inputs[0] == data
            and NonOverlappingWindows.suits(pooling.op))
