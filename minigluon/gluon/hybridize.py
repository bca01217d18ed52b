"""Turning a block into a graph: `hybridize`, and what makes the graphs void."""

from __future__ import annotations

from typing import Any

from ..common.types import DType
from .block import Block
from .hybrid_errors import check_flags
from .hybrid_hooks import HybridHooks

__all__ = ["Hybridize"]


class Hybridize(HybridHooks):
    """The part of HybridBlock that turns it into a graph, and drops graphs that no longer hold."""

    _flags = {}             # what hybridize() was given
    _hosts = {}             # id -> whose graphs it is part of, see `add_graph_host`
    _graphs = {}            # (train mode, structure of the arguments) -> BlockGraph

    def hybridize(self, active: bool = True, backend: str | None = None, clear: bool = True, **kwargs: Any) -> None:
        """Run as a graph from now on: traced at the next call, and planned for each new shape.

        Traced anew for another nesting of the arguments, another value of an argument that is no array, and after a
        change to its children; for train mode only if `hybrid_forward` asks for it. Everything else that Python decides
        stays as it was at the trace. Call hybridize() again after changing an attribute that `hybrid_forward` reads.

        Accepted as in MXNet, and of no effect on results: static_alloc, static_shape (memory is always planned),
        inline_limit, forward_bulk_size, backward_bulk_size. active=False goes back to running imperatively.

        Two that MXNet does not have save memory in training; the backward pass then computes again what is not kept.
        memory: the most that a plan may take: bytes, or up to 1 a share of what it takes that keeps everything. As
            little as that asks for is computed again, the cheapest first. Warns where there is no such plan.
        recompute: True keeps as little as there is to keep.

        passes: names of passes of the program's own that plans are made with, see `minigluon.hybrid.register_pass`.
        backend: one such name more.

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
        """Hybridize this block alone, and none of its children."""
        self._active = True
        self.drop_graphs()

    @property
    def block_graphs(self) -> Any:
        """{train mode, or what else decides: BlockGraph}, as calls have made them; a new dict when those are void."""
        return self._graphs

    def drop_graphs(self) -> None:
        """Make the graphs anew when they are needed next."""
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
        """For copies and pickles: traces are made anew."""
        return {**self.__dict__, "_graphs": {}, "_hosts": {}}

    def cast(self, dtype: DType) -> None:
        """Convert the parameters, and trace anew."""
        super().cast(dtype)
        self._forget_graphs()

    def _forget_graphs(self):
        """Drop the graphs that this block is part of."""
        self.drop_graphs()
        for host in list(self._hosts.values()):
            host.drop_graphs()
