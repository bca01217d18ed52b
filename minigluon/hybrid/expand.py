"""The expansion of composite operators, such as `mx.np` functions, into plain ones.

It is part of the unrolling pass, because the plain operators depend on the shapes and types of a composite operator's
inputs. These are inferred node by node, each from the plain operators before it.
"""

from ..backend import Spec
from ..ops.graph.interpreted_op import Composite
from ..ops.shapes import is_known
from ..symbol.graph import Node, position_in_program
from ..symbol.rewrite import Rewriter
from ..symbol.symbol import Symbol
from .specs import infer_specs

__all__ = ["expanded", "has_composites"]


def has_composites(graph):
    """Returns whether the graph has composite operators."""
    return any(isinstance(node.op, Composite) for node in graph.nodes())


def expanded(graph, input_specs):
    """Returns the graph with plain operators in place of composite ones; the graph itself if it has none.

    input_specs: {variable name: Spec}.
    """
    return Expansion(graph, input_specs).rewritten() if has_composites(graph) else graph


class Expansion(Rewriter):
    """The graph with its composite operators expanded. input_specs: {variable name: Spec}."""

    def __init__(self, graph, input_specs):
        super().__init__(graph)
        self.known, self.found = input_specs, {}

    def visit(self, node):
        """Expands a composite operator; copies any other node, including a node whose inputs have shapes that depend on
        values.
        """
        if not isinstance(node.op, Composite):
            super().visit(node)
            return
        inputs = [self.where[pair] for pair in node.inputs]
        self.found.update(infer_specs(Symbol(inputs), self.known, self.found) if inputs else {})
        specs = [Spec(*self.found[pair][:2]) for pair in inputs]
        if not (all(is_known(spec.shape) for spec in specs) and node.op.has_graph(specs)):
            super().visit(node)
            return
        variables, plain = node.op.expansion(specs)
        copies = {(variable, 0): pair for variable, pair in zip(variables, inputs, strict=True)}
        for part in plain.nodes():
            if part.op is not None:
                copy = Node(part.op, f"{node.name}_{part.name}", [copies[pair] for pair in part.inputs], part.attrs,
                            place=node.place)
                copy.number = (*position_in_program(node), *position_in_program(part))
                copies.update(((part, i), (copy, i)) for i in range(part.op.num_outputs))
        self.where.update(((node, i), copies[pair]) for i, pair in enumerate(plain.heads))
