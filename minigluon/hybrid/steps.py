"""The pass for an entire training step: adds the optimizer's steps to the gradient graph.

A node overwrites weights and states with `_sgd_steps` or a similar operator. A large weight has its own node, which
runs as soon as its gradient is ready, so that the gradient is still in the cache and need not stay alive until the end.
Small weights share a node, because a kernel for each would cost more than its work.

If a store must first add the gradients up over processes, the nodes are `_final_gradients` instead, which send them.
"""

import math
from typing import NamedTuple

import numpy as np

from ..backend import Spec
from ..ops import REGISTRY
from ..ops.optimizer.multi_tensor import InPlaceMultiUpdate
from ..ops.symbolic_dimensions import has_symbolic_dim
from ..symbol.composition import substitute
from ..symbol.graph import Node, run_order, topological
from ..symbol.symbol import Symbol
from .conditions import only_if

__all__ = ["Steps", "add_steps", "behind_readers", "order_with_steps", "with_ones"]

SMALL = 2 ** 14         # weights with at most this many elements share a node


class Steps(NamedTuple):
    """The optimizer's data for a plan.

    weights: the variables' names, in the order of their gradients. op: the operator for all of them, with num_weights.
    states: the Specs of each weight's states.
    """

    weights: list
    op: object
    states: list

    def groups(self, specs):
        """Returns [indices of weights that share a node], with the last weights first, like their gradients. specs:
        {name: Spec}. """
        numbers = range(len(self.weights))
        small = [i for i in numbers if math.prod(specs[self.weights[i]].shape) <= SMALL]
        return [[i] for i in reversed(numbers) if i not in small] + ([small] if small else [])

    def op_for(self, group):
        """Returns the operator for some of the weights."""
        return type(self.op)(**{**self.op.attributes, "num_weights": len(group)})


def with_ones(joint, results, heads, specs):
    """Return the graph with ones as its head gradients.

    results: the pairs that are results. heads: the variables for the head gradients. specs: {name of a head: its Spec}.
    """
    ones = {head: (_ones(head.name, specs[head.name], pair), 0) for head, pair in zip(heads, results, strict=True)}
    return Symbol(substitute(joint.heads, ones))


def _ones(name, spec, pair):
    if has_symbolic_dim(spec.shape) or 0 in spec.shape:     # in an attribute, 0 would be an unknown length
        return Node(REGISTRY["ones_like"](), name, [pair])
    return Node(REGISTRY["_ones"](shape=spec.shape, dtype=spec.dtype.name), name)


@only_if("steps")
def add_steps(draft):
    """Replaces the gradients with optimizer steps, if the plan includes steps. Everything is then in the forward part.

    Additional inputs follow: the states of each node, then its `rates`, if it takes them.
    """
    graph, count, specs, steps = draft.graph, draft.results, draft.specs, draft.steps
    variables = dict(zip(draft.variables, draft.inputs, strict=True))
    weight_specs = {name: specs[variables[name], 0] for name in steps.weights}
    added, outputs = [], []
    for group in steps.groups(weight_specs):
        op, inputs = steps.op_for(group), []
        for i in group:
            states = [_variable(f"_state{i}_{k}", spec, specs) for k, spec in enumerate(steps.states[i])]
            inputs += [(variables[steps.weights[i]], 0), graph.heads[count + i], *[(node, 0) for node in states]]
            added += states
        if op.takes_rates:
            added.append(_variable(f"_rates{group[0]}", Spec((1 + 2 * len(group),), np.dtype("float64")), specs))
            inputs.append((added[-1], 0))
        node = Node(op, f"step{len(outputs)}", inputs)
        specs[node, 0] = Spec((0,), weight_specs[steps.weights[group[0]]].dtype)
        outputs.append((node, 0))
    result = Symbol([*graph.heads[:count], *outputs])
    notes = [f"{len(steps.weights)} weights, in {len(outputs)} nodes of {steps.op.name}"]
    return draft.after("steps", result, notes, inputs=[*draft.inputs, *added], results=len(result))


def _variable(name, spec, specs):
    node = Node(None, name)
    specs[node, 0] = spec
    return node


def order_with_steps(results, gradients, variables):
    """Returns (all nodes in the order in which they run, those in the forward part) if steps are among the results.

    results, gradients, variables: the graph's outputs, and its variables in order.
    """
    steps = [pair for pair in results if isinstance(pair[0].op, InPlaceMultiUpdate)]
    forward = [(node, 0) for node in run_order([pair for pair in results if pair not in steps])]
    forward += _as_gradients_arrive(steps, variables)
    return behind_readers(topological([*forward, *reversed(gradients)])), topological(forward)


def _as_gradients_arrive(steps, variables):
    """Returns the pairs of step nodes, each after its gradients, in the order in which backward computes the gradients.

    The gradients of the last weights come first, whichever node reads them, because values saved for a gradient can be
    freed once it is computed, even if the node itself waits for other gradients. variables: the graph's variables, in
    order.
    """
    number = {variable: n for n, variable in enumerate(variables)}
    rows = []
    for step, _ in steps:
        size = len(step.op.group)
        places = range(0, step.op.num_weights * size, size)
        rows += [(number[step.inputs[k][0]], step.inputs[k + 1], step) for k in places]
    order, waits_for = [], {step: step.op.num_weights for step, _ in steps}
    for _, gradient, step in sorted(rows, key=lambda row: -row[0]):
        order.append(gradient)
        waits_for[step] -= 1
        if not waits_for[step]:
            order.append((step, 0))
    return order


def behind_readers(order):
    """Reorders the nodes so that each step comes after everything that reads what it overwrites.

    No edge in the graph requires this. order: a topological order. Nothing depends on a step, so it may move later.
    """
    steps = {node for node in order if isinstance(node.op, InPlaceMultiUpdate)}
    position = {node: number for number, node in enumerate(order)}
    last = {}                   # node -> the last position at which it or a view of it is read
    for node in reversed(order):
        if node not in steps:
            reach = last.get(node, position[node]) if node.op is not None and node.op.is_view else position[node]
            for parent, _ in node.inputs:
                last[parent] = max(last.get(parent, -1), reach)

    def sort_key(node):
        if node not in steps:
            return position[node], 0
        return max([position[node], *[last.get(node.inputs[i][0], -1) for i in node.op.overwritten]]), 1
    return sorted(order, key=sort_key)
