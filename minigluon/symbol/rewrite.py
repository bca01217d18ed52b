"""Rewriting graphs node by node: the common part of all passes over graphs."""

from .graph import topological
from .graph_patterns import GraphPatterns
from .symbol import Symbol

__all__ = ["Rewriter"]


class Rewriter(GraphPatterns):
    """Builds a new graph from an old one, each node after its inputs. `Rewriter(graph).rewritten()` is the new graph.

    A subclass overrides `replace` to replace a node with another, or `visit` if the replacement is not a single node.
    Nodes that no output depends on disappear, because a graph consists only of nodes that its outputs depend on.

    graph: the old Symbol. nodes: its nodes, inputs first. specs: {(node, output): Spec}, to which Specs of new nodes
    are added. where: {output of the old graph: output of the new graph}. notes: descriptions of the changes.

    >>> class Doubled(Rewriter):
    ...     '''Replaces each exp by 2 · exp.'''
    ...     def replace(self, node):
    ...         new = super().replace(node)
    ...         return new if node.op is None or node.op.name != "exp" else (2 * Symbol([(new, 0)])).heads[0][0]
    >>> graph = Doubled(sym.exp(sym.var("x"))).rewritten()
    >>> [node.op.name for node in graph.nodes() if node.op]
    ['exp', '_mul_scalar']
    """

    def __init__(self, graph, specs=None):
        self.graph, self.nodes, self.specs = graph, graph.nodes(), {} if specs is None else specs
        self.where, self.notes = {}, []

    def rewritten(self):
        """Return the new graph."""
        for node in self.nodes:
            self.visit(node)
        return Symbol([self.read(pair) for pair in self.graph.heads])

    def visit(self, node):
        """Store the replacements of a node's outputs in `where`, which already contains those of its inputs."""
        self.put(node, self.replace(node))

    def replace(self, node):
        """Return an old node's replacement: the same node with the new inputs, unless overridden."""
        return node.with_inputs([self.where[pair] for pair in node.inputs])

    def put(self, node, new):
        """Replace an old node's outputs with those of a new node, which takes over their Specs."""
        for index in range(1 if node.op is None else node.op.num_outputs):
            self.where[node, index] = new, index
            if (node, index) in self.specs:
                self.specs[new, index] = self.specs[node, index]

    def read(self, pair):
        """Return the new output that replaces an old one."""
        return self.where[pair]

    def needed_for_first(self, count):
        """Return the set of nodes that the first `count` outputs of the old graph depend on."""
        return set(topological(self.graph.heads[:count]))
