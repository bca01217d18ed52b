"""A handle on outputs of a graph: the core of a Symbol."""

from __future__ import annotations

from collections.abc import Iterable

from .graph import Node, Pair, topological, variables

__all__ = ["Handle"]


class Handle:
    """Outputs of a graph, and the nodes that they depend on. heads: (node, output index) pairs."""

    def __init__(self, outputs: Iterable[Pair]):
        self.heads: list[Pair] = list(outputs)
        self._nodes: list[Node] | None = None

    @property
    def name(self) -> str:
        """The node's name; None for a group of several nodes.

        >>> sym.relu(sym.var("x"), name="act").name
        'act'
        """
        nodes = {node for node, _ in self.heads}
        return self.heads[0][0].name if len(nodes) == 1 else None       # type: ignore[return-value]

    def nodes(self) -> list[Node]:
        """All nodes, inputs first.

        >>> [node.name for node in sym.relu(sym.var("x"), name="act").nodes()]
        ['x', 'act']
        """
        if self._nodes is None:         # heads and inputs never change
            self._nodes = topological(self.heads)
        return list(self._nodes)

    def list_arguments(self) -> list[str]:
        """Return the names of the variables that are not auxiliary states, in the order of the graph.

        >>> sym.FullyConnected(sym.var("x"), num_hidden=4, name="fc").list_arguments()
        ['x', 'fc_weight', 'fc_bias']
        """
        return [n.name for n in variables(self.nodes())[0]]

    def list_auxiliary_states(self) -> list[str]:
        """Return the names of the variables that operators overwrite, such as BatchNorm's moving mean.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_auxiliary_states()
        ['bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in variables(self.nodes())[1]]

    def list_inputs(self) -> list[str]:
        """Return the names of all variables, including auxiliary states.

        >>> sym.BatchNorm(sym.var("x"), name="bn").list_inputs()
        ['x', 'bn_gamma', 'bn_beta', 'bn_moving_mean', 'bn_moving_var']
        """
        return [n.name for n in self.nodes() if n.op is None]

    def __len__(self) -> int:
        return len(self.heads)
