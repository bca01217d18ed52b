"""The gradient pass, which adds the gradients to a graph.

It visits the nodes in the same order as the tape, from last to first, and applies the same rules, `Op.gradient`: with
F=sym, they build the graph of the gradients that they compute on the tape with F=nd.
"""

from contextlib import contextmanager
from types import FunctionType

from .. import name
from .. import symbol as sym
from ..diagnostics.source_lines import fixed_line
from ..symbol.graph import Node, error_location
from ..symbol.symbol import Group, Symbol
from .specs import infer_specs, is_static
from .steps import with_ones

__all__ = ["differentiate", "gradients_of"]


def differentiate(draft):
    """Add the wanted gradients as additional outputs. If an optimizer's steps follow, the head gradients are ones, and
    there is no plan if a step lacks a gradient."""
    if not draft.wanted:
        return draft
    graph, node_of = draft.graph, dict(zip(draft.variables, draft.inputs, strict=True))
    gradients, heads = gradients_of(graph, [node_of[name] for name in draft.wanted])
    joint = Group([graph, *[g for g in gradients if g is not None]])
    indices = [None if g is None else sum(h is not None for h in gradients[:i]) for i, g in enumerate(gradients)]
    head_specs = {head.name: draft.specs[pair] for head, pair in zip(heads, graph.heads, strict=True)}
    if draft.steps is not None:
        joint, heads, head_specs = with_ones(joint, graph.heads, heads, head_specs), [], {}
    specs = infer_specs(joint, {**draft.input_specs, **head_specs}, before=draft.specs)
    if not is_static(specs) or (draft.steps is not None and None in indices):
        return draft.without_plan(indices)
    names = [name for name, index in zip(draft.wanted, indices, strict=True) if index is not None]
    return draft.after("differentiate", joint, [f"{len(names)} gradients, of {', '.join(names)}"], specs=specs,
                       heads=heads, indices=indices)


def gradients_of(graph, variables):
    """Return (gradients, heads): a symbol for each variable in `variables`, or None if no path leads to it.

    graph: a Symbol. variables: their nodes. heads: a new variable per output of the graph, its head gradient. The
    sum of all outputs, each weighted with its head, is differentiated.
    """
    nodes = graph.nodes()
    grads = _Gradients(_leading_to(nodes, variables))
    heads = [Node(None, f"_head_grad{i}") for i in range(len(graph))]
    for pair, head in zip(graph.heads, heads, strict=True):
        grads.add(pair, Symbol([(head, 0)]))
    for node in reversed(nodes):
        if node.op is not None and node in grads.slots:
            grads.pass_on(node)
    return [grads.slots[v][0] if v in grads.slots else None for v in variables], heads


class _Gradients:
    """The gradients that have reached each output of each node so far."""

    def __init__(self, leads):
        self.leads = leads      # nodes that depend on a wanted variable; others have no gradient
        self.slots = {}         # node -> [Symbol or None for each output]
        self.names = {}

    def add(self, pair, grad):
        """Accumulate a gradient for one output of a node."""
        node, index = pair
        if node not in self.leads or (node.op is not None and not node.op.differentiable):
            return
        slots = self.slots.setdefault(node, [None] * (1 if node.op is None else node.op.num_outputs))
        if slots[index] is None:
            slots[index] = grad
        else:
            with self.names_after(node):
                slots[index] = sym.elemwise_add(slots[index], grad)

    def pass_on(self, node):
        """Pass the gradients on from a node's outputs to its inputs."""
        with self.names_after(node):
            out_grads = [sym.zeros_like(Symbol([(node, i)])) if grad is None and not node.op.takes_none else grad
                         for i, grad in enumerate(self.slots[node])]
            contributions = []
            for (parent, index), grad in zip(node.inputs, _call_gradient(node, out_grads), strict=True):
                if grad is not None and parent in self.leads:
                    # An expensive item is a function, called only if its gradient is wanted.
                    contributions.append(((parent, index), grad() if isinstance(grad, FunctionType) else grad))
        for pair, grad in contributions:
            self.add(pair, grad)

    @contextmanager
    def names_after(self, node):
        """Name a gradient's nodes after that node, and keep its source line. The program's counters do not advance."""
        if node not in self.names:
            self.names[node] = name.Prefix(f"{node.name}_backward_")
        with self.names[node], fixed_line(node.place):
            yield


def _leading_to(nodes, variables):
    leads = set(variables)
    for node in nodes:
        if any(parent in leads for parent, _ in node.inputs):
            leads.add(node)
    return leads


def _call_gradient(node, out_grads):
    """Return the rule's result as a list. The rule receives only the values listed in the operator's `keeps`."""
    keeps = node.op.keeps
    inputs, outputs = [None] * len(node.inputs), [None] * node.op.num_outputs
    if "inputs" in keeps or "shapes" in keeps:
        inputs = [Symbol([pair]) for pair in node.inputs]
    if "outputs" in keeps:
        outputs = [Symbol([(node, i)]) for i in range(node.op.num_outputs)]
    with error_location(node):
        result = node.op.gradient(sym, out_grads, inputs, outputs)
    if isinstance(result, Symbol) and len(node.inputs) > 1:
        return list(result)             # one operator with one result per input
    return result if isinstance(result, (list, tuple)) else [result]
