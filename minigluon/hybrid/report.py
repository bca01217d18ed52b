"""Reports of passes."""

from dataclasses import dataclass, field

from ..symbol.symbol import Symbol

__all__ = ["Report"]


@dataclass
class Report:
    """A report about one pass: the graphs before and after it, and notes on its changes.

    specs: {(node, output): Spec} for the nodes in both graphs.
    """

    name: str
    before: Symbol
    after: Symbol
    notes: list = field(default_factory=list)
    specs: dict = field(default_factory=dict)

    def __str__(self):
        counts = [sum(node.op is not None for node in graph.nodes()) for graph in (self.before, self.after)]
        lines = [f"{self.name}: {counts[0]} operators before, {counts[1]} after"]
        return "\n".join(lines + [f"  {note}" for note in self.notes])
