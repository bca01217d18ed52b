"""The base class of operators that have no kernel."""

from ..op import Op

__all__ = ["InterpretedOp"]


class InterpretedOp(Op):
    """An operator that runs graphs or user code and therefore has no kernel.

    A plan cannot contain it. A graph with such a node is run node by node (`hybrid.interpret`), unless `hybrid.unroll`
    has replaced the node with plain operators.
    """
