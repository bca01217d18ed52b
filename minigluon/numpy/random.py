"""`np.random`: draws from distributions, with NumPy's signatures.

`mx.random.seed` and `np.random.seed` make them repeatable.

`normal` and `uniform` are operators, whose parameters have gradients; the other distributions are drawn on the host by
the device's generator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as onp

from ..base import ArgumentError
from ..common import generators
from ..common.dtypes import as_dtype
from ..context import current_context, parse
from ..ndarray import random as nd_random
from ..ndarray.creation import from_host
from ..ndarray.ndarray import NDArray
from .array import adopt, ndarray, refuse_mixture
from .promotion import DEFAULT

__all__ = ["beta", "chisquare", "choice", "exponential", "gamma", "gumbel", "laplace", "logistic", "lognormal",
           "multinomial", "multivariate_normal", "normal", "pareto", "permutation", "power", "rand", "randint", "randn",
           "rayleigh", "seed", "shuffle", "uniform", "weibull"]

seed = generators.seed
_INTEGER = onp.dtype("int64")


def _sized(size: Any) -> tuple[int, ...]:
    return () if size is None else (int(size),) if isinstance(size, (int, onp.integer)) else tuple(map(int, size))


def _parameter(name, x):
    """Return a distribution's parameter in the form that NumPy takes."""
    if isinstance(x, NDArray) and x.__class__ is not ndarray:
        raise refuse_mixture(f"np.random.{name}", x)
    return x.asnumpy() if isinstance(x, NDArray) else x


def _standard(name, numbers, parameters, size, dtype, ctx, out):
    """Return draws of `nd.random`: by its operator if the parameters are numbers, or from standard draws if arrays."""
    arrays = [x for x in parameters if isinstance(x, NDArray)]
    for x in arrays:
        _parameter(name, x)
    ctx = arrays[0].ctx if arrays and ctx is None else ctx
    draw = getattr(nd_random, name)
    shape = onp.broadcast_shapes(*[x.shape for x in arrays]) if arrays and size is None else _sized(size)
    given = numbers if arrays else parameters
    drawn = adopt(draw(*given, shape=shape or (1,), dtype=None if dtype is None else as_dtype(dtype).name, ctx=ctx))
    return _finished(drawn if shape else drawn.reshape(()), out)


def _finished(result, out):
    if out is None:
        return result
    out[...] = result
    return out


def uniform(low: Any = 0.0, high: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None,
            out: Any = None) -> Any:
    """Return uniform samples in [low, high).

    low, high: the bounds, numbers or arrays that broadcast.
    size: the shape; that of the parameters if None.
    dtype: float32 if None.
    ctx: the device, the current one if None.
    out: an array to write to.

    >>> from minigluon import np
    >>> np.random.uniform(size=(2, 3)).shape
    (2, 3)
    """
    if out is dtype is None and size.__class__ is tuple and size and not isinstance(low, NDArray) and \
            not isinstance(high, NDArray):
        return adopt(nd_random.uniform(low, high, shape=size, ctx=ctx))
    drawn = _standard("uniform", (0, 1), (low, high), size, dtype, ctx, None)
    if isinstance(low, NDArray) or isinstance(high, NDArray):
        drawn = low + drawn * (high - low)
    return _finished(drawn, out)


def normal(loc: Any = 0.0, scale: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None,
           out: Any = None) -> Any:
    """Return normal samples.

    loc, scale: the mean and the standard deviation, numbers or arrays that broadcast.
    size: the shape; that of the parameters if None.
    dtype: float32 if None.
    ctx: the device, the current one if None.
    out: an array to write to.

    >>> from minigluon import np
    >>> np.random.normal(0, 1, size=4).shape
    (4,)
    """
    if out is dtype is None and size.__class__ is tuple and size and not isinstance(loc, NDArray) and \
            not isinstance(scale, NDArray):
        return adopt(nd_random.normal(loc, scale, shape=size, ctx=ctx))
    drawn = _standard("normal", (0, 1), (loc, scale), size, dtype, ctx, None)
    if isinstance(loc, NDArray) or isinstance(scale, NDArray):
        drawn = loc + drawn * scale
    return _finished(drawn, out)


def rand(*size: int, **kwargs: Any) -> Any:
    """Return uniformly distributed samples in [0, 1), with the shape given as separate arguments.

    size: the lengths.
    kwargs: those of `uniform`.

    >>> np.random.rand(2, 3).shape
    (2, 3)
    """
    return uniform(0, 1, size, **kwargs)


def randn(*size: int, **kwargs: Any) -> Any:
    """Return standard normal samples, with the shape given as separate arguments.

    size: the lengths.
    kwargs: those of `normal`.

    >>> np.random.randn(2, 3).shape
    (2, 3)
    """
    return normal(0, 1, size, **kwargs)


def _drawn(name: str, draw: Callable[[Any], Any], dtype: Any, ctx: Any, out: Any, default: Any = DEFAULT) -> Any:
    """Return samples that a device's generator draws on the host."""
    device = current_context() if ctx is None else parse(ctx)
    values = onp.asarray(draw(generators.generator(device)))
    return _finished(adopt(from_host(values.astype(default if dtype is None else as_dtype(dtype)), device)), out)


def _sampler(name: str, method: str, parameters: str, doc: str, example: str,
             change: Callable[..., Any] | None = None) -> Any:
    """Return a function for a distribution whose parameters are numbers or arrays.

    change: a function applied to NumPy's draws.
    """
    names, defaults = zip(*[(*part.split("="), None)[:2] for part in parameters.split()], strict=True) \
        if parameters else ((), ())

    def function(*args: Any, **kwargs: Any) -> Any:
        every = [*names, "size", "dtype", "ctx", "out"]
        given = {**dict(zip(every, args, strict=False)), **kwargs}
        unknown = given.keys() - set(every)
        missing = [n for n, d in zip(names, defaults, strict=True) if d is None and n not in given]
        if unknown or missing or len(args) > len(every):
            raise ArgumentError(f"np.random.{name} takes {', '.join(every)}; found {sorted(unknown)}, and missing are "
                                f"{missing}")
        values = [_parameter(name, given.get(n, None if d is None else float(d)))
                  for n, d in zip(names, defaults, strict=True)]

        def draw(rng):
            found = getattr(rng, method)(*values, size=None if given.get("size") is None else _sized(given["size"]))
            return found if change is None else change(found)
        return _drawn(name, draw, given.get("dtype"), given.get("ctx"), given.get("out"))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (f"Return samples of {doc}.\n\nargs, kwargs: {', '.join(names)}, numbers or arrays; size, the "
                        "shape; dtype, float32 by default; ctx, the device; out, an array to write to.\n\n"
                        "Raises ArgumentError for other arguments.\n\n"
                        f">>> np.random.{name}({example}).shape\n{'(2, 3)' if 'size' in example else '(2,)'}")
    return function


beta = _sampler("beta", "beta", "a b", "the beta distribution", "np.array([1, 2]), 3")
chisquare = _sampler("chisquare", "chisquare", "df", "the χ² distribution", "2, size=(2, 3)")
exponential = _sampler("exponential", "exponential", "scale=1",
                       "the exponential distribution with mean scale", "np.array([1, 10])")
gamma = _sampler("gamma", "gamma", "shape scale=1", "the gamma distribution", "2, np.array([1, 10])")
gumbel = _sampler("gumbel", "gumbel", "loc=0 scale=1", "the Gumbel distribution", "size=(2, 3)")
laplace = _sampler("laplace", "laplace", "loc=0 scale=1",
                   "the Laplace distribution, which MXNet 1.9.1 lacks", "0, 2, size=(2, 3)")
logistic = _sampler("logistic", "logistic", "loc=0 scale=1", "the logistic distribution", "np.array([0, 5]), 2")
lognormal = _sampler("lognormal", "lognormal", "mean=0 sigma=1", "the log-normal distribution", "0, 0.5, size=(2, 3)")
pareto = _sampler("pareto", "pareto", "a", "the Pareto distribution", "np.array([1, 3])")
power = _sampler("power", "power", "a", "the power distribution", "3, size=(2, 3)")
rayleigh = _sampler("rayleigh", "rayleigh", "scale=1", "the Rayleigh distribution", "np.array([1, 2])")
weibull = _sampler("weibull", "weibull", "a", "the Weibull distribution", "2, size=(2, 3)")


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None, out: Any = None) -> Any:
    """Return random integers from low up to, but not including, high; a single number is high, and low is then 0.

    low, high: integers.
    size: the shape, () if None.
    dtype: int64 if None.
    ctx: the device, the current one if None.
    out: an array to write to.

    >>> x = np.random.randint(0, 10, size=100)
    >>> x.dtype, bool((x < 10).all())
    (dtype('int64'), True)
    """
    if high is None:
        low, high = 0, low
    return _drawn("randint", lambda rng: rng.integers(int(low), int(high), size=_sized(size)), dtype, ctx, out,
                  _INTEGER)


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, ctx: Any = None, out: Any = None) -> Any:
    """Return random elements of a vector, or of the integers below a number.

    a: an array with one axis, or an integer.
    size: the shape, () if None.
    replace: whether an element may be drawn twice.
    p: the probabilities of the elements, equal ones if None.
    ctx: the device, the current one if None.
    out: an array to write to.

    >>> np.random.choice(np.array([5, 6]), size=3, p=np.array([0, 1]))
    array([6., 6., 6.])
    """
    weights = None if p is None else onp.asarray(_parameter("choice", p), "float64")
    if weights is not None:
        weights = weights / weights.sum()           # float32 probabilities do not sum to 1 exactly
    items = _parameter("choice", a)
    default = items.dtype if isinstance(items, onp.ndarray) else _INTEGER
    return _drawn("choice", lambda rng: rng.choice(items, None if size is None else _sized(size), replace, weights),
                  None, ctx, out, default)


def multinomial(n: int, pvals: Any, size: Any = None, ctx: Any = None) -> Any:
    """Return how often each outcome occurred in n draws, as int64.

    n: the number of draws.
    pvals: the probabilities of the outcomes, along the last axis.
    size: the leading axes, () if None.
    ctx: the device, the current one if None.

    >>> np.random.multinomial(8, np.array([0, 1, 0]))
    array([0, 8, 0], dtype=int64)
    """
    weights = onp.asarray(_parameter("multinomial", pvals), "float64")
    weights = weights / weights.sum(-1, keepdims=True)
    return _drawn("multinomial", lambda rng: rng.multinomial(n, weights, None if size is None else _sized(size)),
                  None, ctx, None, _INTEGER)


def multivariate_normal(mean: Any, cov: Any, size: Any = None, check_valid: Any = None, tol: Any = None,
                        ctx: Any = None) -> Any:
    """Return samples of a multivariate normal distribution.

    mean: the mean, a vector.
    cov: the covariance matrix.
    size: the leading axes, () if None.
    check_valid: what to do if the matrix is not positive semidefinite: 'warn', 'raise' or 'ignore'.
    tol: the tolerance of this check.
    ctx: the device, the current one if None.

    >>> np.random.multivariate_normal(np.zeros(2), np.eye(2), size=3).shape
    (3, 2)
    """
    centre, spread = (_parameter("multivariate_normal", x) for x in (mean, cov))
    return _drawn("multivariate_normal", lambda rng: rng.multivariate_normal(
        centre, spread, None if size is None else _sized(size), check_valid or "warn", tol or 1e-8), None, ctx, None)


def shuffle(x: Any) -> None:
    """Shuffle the rows of an array in place.

    x: an array with one axis or more.

    >>> x = np.arange(5)
    >>> np.random.shuffle(x)
    >>> np.sort(x)
    array([0., 1., 2., 3., 4.])
    """
    if x.__class__ is not ndarray:
        raise refuse_mixture("np.random.shuffle", x)
    x[...] = x[_order(x.shape[0], x.ctx)]


def permutation(x: Any) -> Any:
    """Return the rows of an array in a random order, or the integers below a number. MXNet 1.9.1 does not have it.

    x: an array, or an integer.

    >>> np.sort(np.random.permutation(4))
    array([0, 1, 2, 3], dtype=int64)
    """
    if x.__class__ is ndarray:
        return x[_order(x.shape[0], x.ctx)]
    if isinstance(x, NDArray) or not isinstance(x, (int, onp.integer)):
        raise refuse_mixture("np.random.permutation", x)
    return adopt(from_host(_order(int(x), current_context()), None))


def _order(count: int, ctx: Any) -> onp.ndarray[Any, Any]:
    return generators.generator(ctx).permutation(count)


def __dir__() -> Sequence[str]:
    return sorted(__all__)
