"""`np.random`: draws from distributions, with NumPy's signatures.

`mx.random.seed` and `np.random.seed` make them repeatable. The distributions of `distributions.py` are
written with operators and have gradients for their parameters. Choices, orders and vectors are drawn on the host by
the device's generator.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as onp

from ..common import generators
from ..common.dtypes import as_dtype
from ..context import current_context, parse
from ..frontend.distributions import Samplers
from ..ndarray.creation import from_host
from ..ndarray.creators import create
from ..ndarray.ndarray import NDArray
from ..ndarray.register import make_function
from .array import ndarray, refuse_mixture
from .array_functions import written_into
from .distributions import DISTRIBUTIONS, build_function
from .functions.sources import lengths_of
from .namespace import lookup
from .promotion import DEFAULT

_NAMES = [row.name for row in DISTRIBUTIONS["np"]]
__all__ = ["choice", "multinomial", "multivariate_normal", "permutation", "rand", "randint", "randn", "seed", "shuffle",
           *_NAMES]

seed = generators.seed
_INTEGER = onp.dtype("int64")
_samplers = Samplers("np.random", make_function, NDArray, lambda op, ctx: create(op, parse(ctx), ndarray))
_SIZES, _NUMBERS = {int, tuple}, {int, float}


def _called(ctx: Any, name: str, *args: Any) -> Any:
    """Return what a row draws, on the device of the first array among its arguments if ctx is None."""
    ctx = next((x.ctx for x in args if x.__class__ is ndarray), None) if ctx is None else parse(ctx)
    with contextlib.nullcontext() if ctx is None else ctx:
        return lookup(name)(*args)


def run(draw: Callable[..., Any], values: Sequence[Any], ctx: Any, out: Any) -> Any:
    """Return the samples of a distribution.

    draw: that of a `Distribution`.
    values: its parameters, the shape and the element type.
    ctx: the device, that of an array, or the current one.
    out: an array to write to.
    """
    return written_into("random", out, draw(functools.partial(_called, ctx), *values))


_functions = {row.name: build_function("np", row, run) for row in DISTRIBUTIONS["np"]}
globals().update(_functions)


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
    if out is dtype is None and size and size.__class__ in _SIZES and low.__class__ in _NUMBERS and \
            high.__class__ in _NUMBERS:
        return _samplers.uniform(low, high, shape=size, ctx=ctx)
    return _functions["uniform"](low, high, size, dtype, ctx, out)


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
    if out is dtype is None and size and size.__class__ in _SIZES and loc.__class__ in _NUMBERS and \
            scale.__class__ in _NUMBERS:
        return _samplers.normal(loc, scale, shape=size, ctx=ctx)
    return _functions["normal"](loc, scale, size, dtype, ctx, out)


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


def _parameter(name, x):
    """Return a parameter as a numpy.ndarray or a number."""
    if isinstance(x, NDArray) and x.__class__ is not ndarray:
        raise refuse_mixture(f"np.random.{name}", x)
    return x.asnumpy() if isinstance(x, NDArray) else x


def _drawn(method: str, args: Sequence[Any], size: Any, dtype: Any, ctx: Any = None, out: Any = None,
           shift: Any = 0, **options: Any) -> Any:
    """Return what a method of NumPy's generator draws, plus `shift`, in an element type."""
    device = current_context() if ctx is None else parse(ctx)
    draw = getattr(generators.generator(device), method)
    values = onp.asarray(draw(*args, size=None if size is None else lengths_of(size), **options)) + shift
    return written_into(f"random.{method}", out, from_host(values.astype(dtype), device, ndarray))


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
    return _drawn("integers", (int(low), int(high)), size, _INTEGER if dtype is None else as_dtype(dtype), ctx, out)


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
    return _drawn("choice", (items,), size, items.dtype if isinstance(items, onp.ndarray) else _INTEGER, ctx, out,
                  replace=replace, p=weights)


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
    return _drawn("multinomial", (n, weights), size, _INTEGER, ctx)


def multivariate_normal(mean: Any, cov: Any, size: Any = None, check_valid: Any = None, tol: Any = None,
                        ctx: Any = None) -> Any:
    """Return samples of a multivariate normal distribution.

    mean: the mean, a vector, or an array of several means along its last axis.
    cov: the covariance matrix.
    size: the leading axes, () if None; those of the means follow.
    check_valid: what to do if the matrix is not positive semidefinite: 'warn', 'raise' or 'ignore'.
    tol: the tolerance of this check.
    ctx: the device, the current one if None.

    >>> np.random.multivariate_normal(np.zeros(2), np.eye(2), size=3).shape
    (3, 2)
    """
    centre, spread = (onp.asarray(_parameter("multivariate_normal", x)) for x in (mean, cov))
    size = None if size is None and centre.ndim == 1 else (*lengths_of(size), *centre.shape[:-1])
    return _drawn("multivariate_normal", (onp.zeros(centre.shape[-1:]), spread), size, DEFAULT, ctx, shift=centre,
                  check_valid=check_valid or "warn", tol=tol or 1e-8)


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
    return from_host(_order(int(x), current_context()), None, ndarray)


def _order(count: int, ctx: Any) -> onp.ndarray[Any, Any]:
    return generators.generator(ctx).permutation(count)


def __dir__() -> Sequence[str]:
    return sorted(__all__)
