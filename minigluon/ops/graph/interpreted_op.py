"""The base of operators that have no kernel."""

from ..op import Op

__all__ = ["InterpretedOp"]


class InterpretedOp(Op):
    """An operator that runs graphs or user code, and so has no kernel.

    A plan cannot contain it: a graph with such a node is run node by node (`hybrid.interpret`), unless `hybrid.unroll`
    has replaced it with plain operators.
    """
