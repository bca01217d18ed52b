"""The base classes of operators that have no kernel."""

from collections.abc import Sequence
from typing import Any

from ..op import Op

__all__ = ["Composite", "InterpretedOp"]


class InterpretedOp(Op):
    """An operator that runs graphs or user code and therefore has no kernel.

    A plan cannot contain it. A graph with such a node is run node by node (`hybrid.interpret`), unless `hybrid.unroll`
    has replaced the node with plain operators.
    """


class Composite(InterpretedOp):
    """An operator without a kernel or a gradient: before a graph is compiled, other operators replace it.

    A subclass defines `expand`, which writes them down with F, for inputs that know their shape and type. On arrays,
    it is called at once, and the tape records what it calls.
    """

    variadic = True
    arguments = ("data",)

    def expand(self, F: Any, inputs: Sequence[Any]) -> list[Any]:
        """Return the outputs, computed with operators of F from inputs with `.shape` and `.dtype`."""
        raise NotImplementedError(f"{self.name} has no expand")

    def expansion(self, specs: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """Return (variables, graph) for inputs of these Specs: the graph has the outputs, and only plain operators."""
        raise NotImplementedError(f"{self.name} has no expansion")
