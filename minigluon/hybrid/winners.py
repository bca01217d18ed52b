"""A pass for max pooling: backward keeps which element of each window won, not data and result.

The gradient of `Pooling` looks for the winners in its data, an array often larger than all others that are kept. Where
windows share no element, their numbers are made on the way forward at little cost (`ops/nn/pooling_winners.py`).
"""

import numpy as np

from ..backend import Spec
from ..ops import REGISTRY
from ..ops.nn.pooling_winners import WindowsApart
from ..symbol.graph import Node
from ..symbol.symbol import Symbol
from .report import Report

__all__ = ["remember_winners"]


def remember_winners(graph, specs, reports=None):
    """The graph in which max pooling and its gradient share the winners. `specs` gets those of the new nodes."""
    nodes = graph.nodes()
    gradients = {node: node.inputs[2][0] for node in nodes if _is_gradient_of_its_pooling(node)}
    pools = set(gradients.values())
    if not pools:
        return graph
    where, made = {}, {}
    for node in nodes:
        inputs = [where[pair] for pair in node.inputs]
        if node in pools:
            new = made[node] = Node(REGISTRY["_max_pooling_winners"](**node.op.attributes), node.name, inputs,
                                   place=node.place)
        elif node in gradients:
            grad, data, _ = inputs
            op = REGISTRY["_max_pooling_winners_grad"](**node.op.attributes)
            new = Node(op, node.name, [grad, (made[gradients[node]], 1), data], place=node.place)
        else:
            new = node.with_inputs(inputs)
        _add_specs(node, new, where, specs)
    result = Symbol([where[pair] for pair in graph.heads])
    if reports is not None:
        reports.append(Report("winners", graph, result, [f"{len(pools)} max poolings remember their winners"], specs))
    return result


def _is_gradient_of_its_pooling(node):
    if node.op is None or node.op.name != "_max_pooling_grad":
        return False
    _, data, (pooling, _) = node.inputs
    return (pooling.op is not None and pooling.op.name == "Pooling" and pooling.inputs[0] == data
            and WindowsApart.suits(pooling.op))


def _add_specs(node, new, where, specs):
    count = 1 if node.op is None else node.op.num_outputs
    for index in range(count):
        where[node, index] = new, index
        specs[new, index] = specs[node, index]
    if new.op is not None and new.op.name == "_max_pooling_winners":
        specs[new, 1] = Spec(specs[node, 0].shape, np.dtype("uint8"))
