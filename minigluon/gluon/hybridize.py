"""Turning a block into a graph: `hybridize`, and invalidation of graphs."""

from __future__ import annotations

from typing import Any

from ..common.types import DType
from ..ndarray.ndarray import NDArray
from ..ops.op import distinct
from .block import Block
from .hybrid_errors import check_flags
from .hybrid_hooks import HybridHooks

__all__ = ["Hybridize", "constant_key"]


class Hybridize(HybridHooks):
    """Mixin for HybridBlock that turns it into a graph and drops invalid graphs."""

    _flags = {}             # the arguments of hybridize()
    _hosts = {}             # id -> objects whose graphs contain this block (see `add_graph_host`)
    _graphs = {}            # (train mode, structure of the arguments) -> BlockGraph

    def hybridize(self, active: bool = True, backend: str | None = None, clear: bool = True, **kwargs: Any) -> None:
        """Run as a graph from now on. The graph is traced at the next call and planned for each new shape.

        It is retraced when its children, the nesting of the arguments, or the value of a non-array argument change, and
        also when the train mode changes if `hybrid_forward` queries it. All other decisions in Python are made once,
        during the trace. Call hybridize() again after changing an attribute that `hybrid_forward` reads.

        Accepted as in MXNet, with no effect on results: static_alloc, static_shape (memory is always planned),
        inline_limit, forward_bulk_size, backward_bulk_size. active=False switches back to imperative execution.

        Two arguments that MXNet lacks save memory in training by recomputing values in the backward pass.
        memory: the limit for a plan in bytes or, if at most 1, as a fraction of the memory without recomputation. As
            little as possible is recomputed, cheapest values first. Warns if there is no such plan.
        recompute: if True, keep as few values as possible.

        passes: names of custom passes for the plans (see `minigluon.hybrid.register_pass`).
        backend: the name of an additional pass.

        >>> net = nn.HybridLambda(lambda F, x: print("traced") or x + 1)
        >>> net.hybridize()
        >>> net(nd.zeros((1,))).item(), net(nd.ones((1,))).item()          # Python runs once
        traced
        (1.0, 2.0)
        """
        kwargs = check_flags(self, backend, kwargs)
        self._active = active
        self._flags = kwargs
        self.drop_graphs()
        super().hybridize(active, **kwargs)

    def activate(self) -> None:
        """Hybridize only this block, not its children."""
        self._active = True
        self.drop_graphs()

    @property
    def hybrid_flags(self) -> Any:
        """The flags passed to `hybridize`, as a dict."""
        return self._flags

    @property
    def block_graphs(self) -> Any:
        """{key of a trace, such as train mode: BlockGraph}, filled by calls; a new dict after invalidation."""
        return self._graphs

    def drop_graphs(self) -> None:
        """Drop the graphs; they are recreated on demand."""
        self._graphs = {}

    def __setattr__(self, key: Any, value: Any) -> None:
        if isinstance(value, Block) and not isinstance(value, Hybridize):
            self._refuse_child(value, key)
        super().__setattr__(key, value)

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Add a hybrid child."""
        if isinstance(block, Block) and not isinstance(block, Hybridize):
            self._refuse_child(block, name)
        super().register_child(block, name)
        self._forget_graphs()

    def __getstate__(self) -> Any:
        """Return the state for copies and pickles, which excludes traces."""
        return {**self.__dict__, "_graphs": {}, "_hosts": {}}

    def cast(self, dtype: DType) -> None:
        """Convert the parameters, and drop the traces."""
        super().cast(dtype)
        self._forget_graphs()

    def _forget_graphs(self):
        """Drop the graphs that contain this block."""
        self.drop_graphs()
        for host in list(self._hosts.values()):
            host.drop_graphs()


def constant_key(leaf: Any) -> Any:
    """Return the key for an argument that is not a dense array, with its type because 1, 1.0 and True are equal."""
    return leaf.__class__, leaf.stype if isinstance(leaf, NDArray) else distinct(leaf)
