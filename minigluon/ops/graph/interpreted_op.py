"""Base classes of operators that have no kernel."""

from collections.abc import Sequence
from typing import Any

from ...base import MXNetError
from ..op import Op

__all__ = ["Composite", "InterpretedOp"]


class InterpretedOp(Op):
    """An operator that runs graphs or user code and therefore has no kernel.

    A plan cannot contain it. A graph with such a node is run node by node (`hybrid.interpret`), unless `hybrid.unroll`
    has replaced the node with plain operators.
    """


class Composite(InterpretedOp):
    """An operator without a kernel or a gradient, which other operators replace before a graph is compiled.

    A subclass defines `expand`, which calls these operators from F on inputs of known shapes and types. On arrays, it
    is called immediately, and the tape records the operators that it calls.
    """

    variadic = True
    arguments = ("data",)
    dynamic = True          # it may have inputs whose shapes depend on values

    def has_graph(self, specs: Sequence[Any]) -> bool:
        """Return whether other operators can replace it for inputs of these Specs; otherwise a graph with it runs node
        by node."""
        return True

    def expand(self, F: Any, inputs: Sequence[Any]) -> list[Any]:
        """Return the outputs, computed with operators from F on inputs with `.shape` and `.dtype`."""
        raise NotImplementedError(f"{self.name} has no expand")

    def expansion(self, specs: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        """Return (variables, graph) for inputs of these Specs: the graph computes the outputs with plain operators."""
        raise NotImplementedError(f"{self.name} has no expansion")

    def gradient(self, F: Any, out_grads: Sequence[Any], inputs: Sequence[Any], outputs: Sequence[Any]) -> Any:
        """Always raise an error: plans expand the operator before differentiating it."""
        raise MXNetError(f"{self.name}: Symbol.gradient cannot write down its gradient, which depends on shapes. Bind "
                         "the graph and call backward on the executor, or use it in a block inside autograd.record().")
