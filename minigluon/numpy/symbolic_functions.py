"""Functions of `mx.sym.np` that MXNet writes as several nodes, or whose signatures differ from the table's rows."""

from __future__ import annotations

from typing import Any

from . import symbols
from .creation import open_grids

__all__ = ["arange", "identity", "linspace", "meshgrid", "norm", "outer", "percentile", "quantile", "take", "vdot"]

_INFINITE = (float("inf"), -float("inf"))


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of start, start + step, ... below stop; a single number is stop, and start is then 0.

    start, stop, step: numbers.
    dtype: float32 if None.
    ctx: no effect in a graph.
    """
    if stop is None:
        start, stop = 0, start
    return symbols.call("_arange", start, stop, step, "float32" if dtype is None else dtype)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
             axis: int = 0, ctx: Any = None) -> Any:
    """Return the symbol of evenly spaced numbers.

    start, stop: the first and last numbers; without `endpoint`, stop is the number that would follow.
    num: the number of values.
    endpoint: whether `stop` is included.
    retstep: True also returns the distance between values.
    dtype: float32 if None.
    axis: must be 0, because start and stop are numbers.
    ctx: no effect in a graph.
    """
    made = symbols.call("_linspace", start, stop, num, endpoint, dtype)
    return (made, (stop - start) / max(num - bool(endpoint), 1)) if retstep else made


def identity(n: int, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of the identity matrix.

    n: the number of rows.
    dtype: float32 if None.
    ctx: no effect in a graph.
    """
    return symbols.call("_identity", (n, n), "float32" if dtype is None else dtype)


def meshgrid(*xi: Any, indexing: str = "xy", copy: bool = True, sparse: bool = False) -> list[Any]:
    """Return the coordinates of a grid: for each vector, a symbol of the vector's element at each point.

    xi: vectors, symbols of `mx.sym.np`.
    indexing: 'xy' or 'ij', as in NumPy.
    copy: no effect, because the results are copies.
    sparse: True returns symbols that can be broadcast to the grid.
    """
    grids = open_grids(xi, indexing)
    return grids if sparse else symbols.call("broadcast_arrays", *grids)


def outer(a: Any, b: Any) -> Any:
    """Return the products of each element of a with each element of b.

    a, b: symbols.
    """
    return symbols.call("tensordot", a.reshape(-1), b.reshape(-1), 0)


def vdot(a: Any, b: Any) -> Any:
    """Return the sum of the products of all elements.

    a, b: symbols.
    """
    return symbols.call("tensordot", a.reshape(-1), b.reshape(-1), 1)


def take(a: Any, indices: Any, axis: int | None = None, mode: str = "raise", out: Any = None) -> Any:
    """Return the elements with these indices along an axis, or in the flat array.

    a, indices: symbols.
    axis: an integer or None.
    mode: 'raise', 'clip' or 'wrap' for indices out of range.
    out: must be None.
    """
    if out is not None or not isinstance(a, symbols._Symbol):
        return symbols.call("take", a, indices, axis, mode, out=out)
    return a.take(indices, axis, mode)


def quantile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = None,
             interpolation: str = "linear", keepdims: bool = False) -> Any:
    """Return the quantiles over axes.

    a: a symbol.
    q: a number or a symbol, between 0 and 1.
    axis: the axes, all if None.
    out: must be None.
    overwrite_input: no effect.
    interpolation: for positions between two elements.
    keepdims: True keeps the reduced axes, with length 1.
    """
    if isinstance(q, (tuple, list)):
        return symbols.call("quantile", a, q, axis=axis, interpolation=interpolation, keepdims=keepdims, out=out)
    return percentile(a, q * 100, axis, out, overwrite_input, interpolation, keepdims)


def percentile(a: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: Any = None,
               interpolation: str = "linear", keepdims: bool = False) -> Any:
    """Return the percentiles over axes.

    a: a symbol.
    q: a number or a symbol, between 0 and 100.
    axis: the axes, all if None.
    out: must be None.
    overwrite_input: no effect.
    interpolation: for positions between two elements.
    keepdims: True keeps the reduced axes, with length 1.
    """
    return symbols.call("percentile", a, q, axis=axis, interpolation=interpolation, keepdims=keepdims, out=out)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the norm of vectors or matrices, by default the square root of the sum of squares.

    x: a symbol.
    ord: for vectors, a number, inf or -inf; for matrices None, 'fro', 1, -1, inf or -inf.
    axis: one axis for vectors, two for matrices; None for all elements.
    keepdims: True keeps the reduced axes, with length 1.
    """
    ord = float(ord) if ord in ("inf", "-inf") else ord
    is_matrix = isinstance(axis, (tuple, list)) and len(axis) == 2
    if ord in _INFINITE and not is_matrix:
        axes = axis if axis is None or isinstance(axis, tuple) else (axis,)
        return symbols.call("max" if ord > 0 else "min", symbols.call("abs", x), axis=axes, keepdims=keepdims)
    if not is_matrix or ord not in (1, -1, *_INFINITE):
        return symbols.call("linalg.norm", x, ord, axis, keepdims)
    first, second = axis if abs(ord) == 1 else axis[::-1]
    if not keepdims and (first < second if first >= 0 else first > second):
        second += 1 if first < 0 else -1
    sums = symbols.call("sum", symbols.call("abs", x), axis=first, keepdims=keepdims)
    return symbols.call("max" if ord > 0 else "min", sums, axis=second, keepdims=keepdims)
