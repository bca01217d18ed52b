"""`mx.sym.np.random`: draws in graphs. Each run of the graph draws new samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

from ..base import CallError, NotImplementedForSymbol
from ..context import current_context
from ..symbol.symbol import Symbol
from . import symbols
from .distributions import DISTRIBUTIONS, build_function

__all__ = ["random", "run"]


def run(draw: Callable[..., Any], values: Sequence[Any], ctx: Any, out: Any) -> Any:
    """Return the symbol of the samples of a distribution.

    draw: that of a `Distribution`.
    values: its parameters, the shape and the element type.
    ctx: no effect in a graph.
    out: must be None.
    """
    if out is not None:
        raise CallError("a graph writes to no array; leave out= out")
    return draw(symbols.call, *values)


def _randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of random integers from low up to, but not including, high.

    low, high: integers; a single one is high, and low is then 0.
    size: the shape, () if None.
    dtype: int64 if None.
    ctx: no effect in a graph.
    """
    low, high = (0, low) if high is None else (low, high)
    return symbols.call("_randint", low, high, () if size is None else size, dtype or "int64")


def _choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of random elements of a vector, or of the integers below a number.

    a: an integer or a symbol.
    size: the shape, () if None.
    replace: whether an element may be drawn twice.
    p: a symbol with the probabilities, equal ones if None.
    ctx: no effect in a graph.
    """
    if isinstance(a, Symbol):
        return symbols.call("take", a, symbols.call("_choice_of", a, size, replace, *([] if p is None else [p])), 0)
    return symbols.call("_choice", a, size, replace, *([] if p is None else [p]))


def _shuffle(x: Any) -> Any:
    """Raise NotImplementedForSymbol.

    A graph cannot write to an array; `permutation` returns the rows in random order.

    x: a symbol.
    """
    raise NotImplementedForSymbol("np.random.shuffle writes to an array, which a graph cannot; use "
                                  "np.random.permutation")


_functions = {row.name: build_function("np", row, run) for row in DISTRIBUTIONS["np"]}
random = SimpleNamespace(
    **_functions, current_context=current_context, choice=_choice, randint=_randint, shuffle=_shuffle,
    permutation=lambda x: symbols.call("_permutation", x),
    multinomial=lambda n, pvals, size=None: symbols.call("_multinomial", n, pvals, size),
    multivariate_normal=lambda mean, cov, size=None, **_: symbols.call("_multivariate_normal", mean, cov, size),
    rand=lambda *size, **kwargs: _functions["uniform"](0, 1, size, **kwargs),
    randn=lambda *size, **kwargs: _functions["normal"](0, 1, size, **kwargs))
