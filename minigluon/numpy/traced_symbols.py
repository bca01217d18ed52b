"""Symbols that know their shape and type, with which a row is expanded to a graph."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from .. import symbol
from ..symbol.infer import infer_dtypes, infer_shapes
from ..symbol.symbol import Symbol

__all__ = ["Written", "writing"]


class Written(Symbol):
    """A symbol inside an expansion, whose shape and type are known because those of its inputs are known."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return infer_shapes(self.nodes(), {})[self.heads[0]]

    @property
    def dtype(self) -> Any:
        """The element type."""
        return infer_dtypes(self.nodes(), {})[self.heads[0]]

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)


class _Written:
    """A version of `sym` whose functions return `Written` symbols."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(symbol, name)

        def write(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if isinstance(result, Symbol) and len(result) > 1:
                return [Written([head]) for head in result.heads]
            return Written(result.heads)
        return write


writing = _Written()
