"""`mx.sym.np.random`: draws in graphs. Each run of the graph draws new samples."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..base import NotImplementedForSymbol
from ..context import current_context
from ..symbol.symbol import Symbol
from . import symbols

__all__ = ["random"]


def _sampler(name: str, row: str, *parameters: str) -> Callable[..., Any]:
    names = [part.partition("=")[0] for part in parameters]
    defaults = {key: float(value) for key, _, value in (part.partition("=") for part in parameters) if value}

    def function(*args: Any, **kwargs: Any) -> Any:
        given = {**defaults, **dict(zip([*names, "size", "dtype", "ctx"], args, strict=False)), **kwargs}
        given.pop("ctx", None)
        if row in _TYPED:
            given["dtype"] = given.get("dtype") or _TYPED[row]
        else:
            given.pop("dtype", None)
        return symbols.call(row, **{"size": None, **given})
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return the symbol of samples as `np.random.{name}` draws them.\n\nargs, kwargs: "
                        f"{', '.join(names)}, numbers or symbols; size, the shape; dtype, the element type.")
    return function


_TYPED = {"_uniform": "float32", "_normal": "float32", "_gamma": "float32", "_randint": "int64"}


def _beta(a: Any, b: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of samples of the beta distribution.

    a, b: numbers or symbols.
    size: the shape; that of the parameters if None.
    dtype: float32 if None.
    ctx: no effect in a graph.
    """
    first, second = (symbols.call("_gamma", x, 1, size, "float64") for x in (a, b))
    return (first / (first + second)).astype(dtype or "float32")


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


def _chisquare(df: Any, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of samples of the χ² distribution.

    df: a number or a symbol.
    size: the shape; that of the parameter if None.
    dtype: float32 if None.
    ctx: no effect in a graph.
    """
    return symbols.call("_gamma", df / 2, 2.0, size, dtype or "float32")


def _lognormal(mean: Any = 0.0, sigma: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of samples of the log-normal distribution.

    mean, sigma: numbers or symbols.
    size: the shape; that of the parameters if None.
    dtype: float32 if None.
    ctx: no effect in a graph.
    """
    return symbols.call("exp", symbols.call("_normal", mean, sigma, size, dtype or "float32"))


def _shuffle(x: Any) -> Any:
    """Raise NotImplementedForSymbol.

    A graph cannot write to an array; `permutation` returns the rows in random order.

    x: a symbol.
    """
    raise NotImplementedForSymbol("np.random.shuffle writes to an array, which a graph cannot; use "
                                  "np.random.permutation")


_uniform = _sampler("uniform", "_uniform", "low=0", "high=1")
_normal = _sampler("normal", "_normal", "loc=0", "scale=1")
random = SimpleNamespace(
    current_context=current_context,
    beta=_beta, chisquare=_chisquare, choice=_choice, lognormal=_lognormal, normal=_normal, randint=_randint,
    shuffle=_shuffle, uniform=_uniform, permutation=lambda x: symbols.call("_permutation", x),
    exponential=_sampler("exponential", "_exponential", "scale=1"),
    gamma=_sampler("gamma", "_gamma", "shape", "scale=1"),
    gumbel=_sampler("gumbel", "_gumbel", "loc=0", "scale=1"),
    laplace=_sampler("laplace", "_laplace", "loc=0", "scale=1"),
    logistic=_sampler("logistic", "_logistic", "loc=0", "scale=1"), pareto=_sampler("pareto", "_pareto", "a"),
    multinomial=lambda n, pvals, size=None: symbols.call("_multinomial", n, pvals, size),
    multivariate_normal=lambda mean, cov, size=None, **_: symbols.call("_multivariate_normal", mean, cov, size),
    power=_sampler("power", "_powerd", "a"), rayleigh=_sampler("rayleigh", "_rayleigh", "scale=1"),
    weibull=_sampler("weibull", "_weibull", "a"), rand=lambda *size, **kwargs: _uniform(0, 1, size, **kwargs),
    randn=lambda *size, **kwargs: _normal(0, 1, size, **kwargs))
