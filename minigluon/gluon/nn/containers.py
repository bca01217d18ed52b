"""Sequential and HybridSequential: blocks applied in sequence."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeVar, overload

from ...diagnostics import strictness
from ..block import Block
from ..block_tree import describe
from ..hybrid_block import HybridBlock
from ..parameter_dict import ParameterDict

__all__ = ["HybridSequential", "Sequential"]


Stack = TypeVar("Stack", bound="_Stack")


class _Stack:
    """Base class of both containers, which behaves like a list of its children."""

    _is_container = True

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None, **unknown: object) -> None:
        super().__init__(prefix=prefix, params=params, **unknown)

    def add(self, *blocks: Block) -> None:
        """Append blocks, in the order of the arguments."""
        for block in blocks:
            self.register_child(block)

    @overload
    def __getitem__(self, key: int) -> Block: ...
    @overload
    def __getitem__(self: Stack, key: slice) -> Stack: ...
    def __getitem__(self, key: int | slice) -> Any:
        """Return the child at a position or, for a slice, a container with the selected children."""
        chosen = list(self._children.values())[key]
        if not isinstance(chosen, list):
            return chosen
        part = type(self)(prefix=self._prefix)
        part.add(*chosen)
        return part

    def __len__(self) -> int:
        return len(self._children)

    def __iter__(self) -> Iterator[Block]:
        return iter(list(self._children.values()))

    def __repr__(self) -> str:
        return describe(self, self._children.items())


class Sequential(_Stack, Block):
    """Blocks applied in sequence: the output of each is the input of the next.

    Behaves like a list of its children: `len(net)`, `net[0]`, `net[1:]`, `for layer in net`. To save or share a net,
    create its children inside `with net.name_scope():`, which prefixes their names with the net's name.

    >>> net = nn.Sequential()
    >>> with net.name_scope():
    ...     net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> net(nd.ones((5, 3))).shape
    (5, 2)
    >>> len(net), net[0].weight.shape, net[1].weight.shape, net[1].weight.name
    (2, (4, 3), (2, 4), 'sequential0_dense1_weight')
    """

    def forward(self, x: Any) -> Any:
        """Return the last block's output."""
        for block in self._children.values():
            x = block(x)
        return x

    def hybridize(self, active: bool = True, **kwargs: Any) -> None:
        """Hybridize all hybrid children."""
        if active and self._children and all(isinstance(b, HybridBlock) for b in self._children.values()):
            strictness.warn(f"all children of Sequential {self.name!r} are hybrid: a HybridSequential would be traced "
                            "as a whole, which is faster.")
        super().hybridize(active, **kwargs)


class HybridSequential(_Stack, HybridBlock):
    """Sequential of hybrid blocks, which `hybridize` compiles as a whole.

    >>> net = nn.HybridSequential()
    >>> net.add(nn.Dense(4, activation="relu"), nn.Dense(2))
    >>> net.initialize()
    >>> net.hybridize()
    >>> net(nd.ones((5, 3))).shape
    (5, 2)
    """

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return the last block's output."""
        for block in self._children.values():
            x = block(x)
        return x
