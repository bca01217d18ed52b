"""The base class of operators whose attributes contain graphs."""

from ..fields import Graph
from ..op import Op

__all__ = ["GraphHolder"]


class GraphHolder(Op):
    """An operator with attributes of type `Graph`. In files, the graphs are the node's "subgraphs"."""

    @classmethod
    def graph_fields(cls):
        """Returns the names of the attributes that are graphs, in the order used in files."""
        return [name for name, field in cls.fields.items() if field.annotation is Graph]

    @property
    def subgraphs(self):
        """The graphs in the order of `graph_fields`."""
        return [self.__dict__[name] for name in self.graph_fields()]
