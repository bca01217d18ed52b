"""Queries for finding patterns of nodes in a graph: which nodes read an output."""

from collections import defaultdict
from functools import cached_property

__all__ = ["GraphPatterns"]


class GraphPatterns:
    """Mixin for `Rewriter` that answers these queries."""

    @cached_property
    def heads(self):
        """Return the old graph's outputs as a set of pairs."""
        return set(self.graph.heads)

    @cached_property
    def users(self):
        """Return {output of the old graph: the nodes that read it, once per read}."""
        users = defaultdict(list)
        for node in self.nodes:
            for pair in node.inputs:
                users[pair].append(node)
        return users

    def only_user(self, pair):
        """Return the only node that reads an output of the old graph; None if several do, or if it is a result."""
        users = self.users[pair]
        return users[0] if len(users) == 1 and pair not in self.heads else None
