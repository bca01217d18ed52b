"""Blocks side by side: `gluon.contrib.nn` of MXNet has them under these names."""

from ... import ndarray as nd
from ..hybrid_block import HybridBlock
from .containers import HybridSequential, Sequential

__all__ = ["Concurrent", "HybridConcurrent", "Identity"]


class Concurrent(Sequential):
    """All children get the same input; their outputs are joined along `axis`."""

    def __init__(self, axis=-1, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def forward(self, x):
        """The children's outputs, joined"""
        return nd.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class HybridConcurrent(HybridSequential):
    """All children get the same input; their outputs are joined along `axis`."""

    def __init__(self, axis=-1, prefix=None, params=None):
        super().__init__(prefix=prefix, params=params)
        self.axis = axis

    def hybrid_forward(self, F, x):
        """The children's outputs, joined"""
        return F.concat(*[block(x) for block in self._children.values()], dim=self.axis)


class Identity(HybridBlock):
    """Its input, unchanged: a way around the other children of a Concurrent."""

    def hybrid_forward(self, F, x):
        """x"""
        return x
