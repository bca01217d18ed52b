"""Random draws in graphs. All of them use the operators that draw uniform, normal, exponential and gamma samples, so
that a plan can contain them, and so that parameters can be symbols and have gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as onp

from ...base import ArgumentError
from ..table import function
from .common import as_float, as_type, dtype_of, is_number, scalar, shaped
from .elementwise import clip
from .indexing import take
from .ordering import argsort
from .shape import broadcast_to
from .sources import arange, lengths_of, zeros_

__all__ = ["shape_of_draws"]


def _draw(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return function(*names, random=True)


def shape_of_draws(size: Any, *parameters: Any) -> tuple[int, ...]:
    """Return the shape of draws, which is size or the common shape of the parameters."""
    if size is not None:
        return lengths_of(size)
    return onp.broadcast_shapes(*[x.shape for x in parameters if not is_number(x)])


def _drawn(F, kind, shape, dtype=None, **numbers):
    """Return samples drawn by `nd.random`."""
    dtype = onp.dtype(dtype or "float32").name
    if 0 in shape:
        return zeros_(F, shape, dtype)
    drawn = getattr(F, f"_random_{kind}")(shape=shape or (1,), dtype=dtype, **numbers)
    return drawn if shape else scalar(F, drawn)


def _times(F, x, y):
    if is_number(y) and y < 0:
        raise ArgumentError(f"np.random: the scale must not be negative, found {y}")
    return F.multiply(x, y) if is_number(y) else F.broadcast_mul(x, as_type(F, y, dtype_of(x)))


def _plus(F, x, y):
    return F.add(x, y) if is_number(y) else F.broadcast_add(x, as_type(F, y, dtype_of(x)))


def _moved(F, x, loc, scale, dtype=None):
    """Return loc + scale * x."""
    return as_type(F, _plus(F, _times(F, x, scale), loc), dtype)


@_draw("_uniform")
def uniform(F, low=0.0, high=1.0, size=None, dtype=None):
    """Return uniform samples in [low, high)."""
    shape = shape_of_draws(size, low, high)
    if is_number(low) and is_number(high):
        return _drawn(F, "uniform", shape, dtype, low=low, high=high)
    width = F.subtract(high, low) if is_number(low) or is_number(high) else F.broadcast_sub(high, low)
    return _moved(F, _drawn(F, "uniform", shape, dtype), low, width, dtype)


@_draw("_normal")
def normal(F, loc=0.0, scale=1.0, size=None, dtype=None):
    """Return normal samples."""
    shape = shape_of_draws(size, loc, scale)
    if is_number(loc) and is_number(scale):
        return _drawn(F, "normal", shape, dtype, loc=loc, scale=scale)
    return _moved(F, _drawn(F, "normal", shape, dtype), loc, scale, dtype)


def _behind(size, *parameters):
    return (*lengths_of(size), *shape_of_draws(None, *parameters))


@_draw("_uniform_n")
def uniform_n(F, low=0.0, high=1.0, size=None, dtype=None):
    """Return uniformly distributed samples, with the lengths in `size` as leading axes."""
    return uniform(F, low, high, _behind(size, low, high), dtype)


@_draw("_normal_n")
def normal_n(F, loc=0.0, scale=1.0, size=None, dtype=None):
    """Return normally distributed samples, with the lengths in `size` as leading axes."""
    return normal(F, loc, scale, _behind(size, loc, scale), dtype)


@_draw("_gamma")
def gamma(F, shape, scale=1.0, size=None, dtype=None):
    """Return samples of the gamma distribution."""
    lengths = shape_of_draws(size, shape, scale)
    if is_number(shape):
        return as_type(F, _times(F, _drawn(F, "gamma", lengths, dtype, alpha=shape, beta=1), scale), dtype)
    alpha = broadcast_to(F, as_float(F, shape), lengths)
    drawn = F._sample_gamma(alpha, F.ones_like(alpha), shape=())
    return as_type(F, _times(F, shaped(F, drawn, lengths), scale), dtype)


def _standard(F, size, *parameters):
    """Return samples of the exponential distribution with mean 1."""
    return _drawn(F, "exponential", shape_of_draws(size, *parameters), lam=1)


def _root(F, x, a):
    """Return x to the power 1 / a."""
    return F.power(x, 1 / a) if is_number(a) else F.broadcast_power(x, F.divide(1.0, as_float(F, a)))


@_draw("_exponential")
def exponential(F, scale=1.0, size=None):
    """Return samples of the exponential distribution with mean scale."""
    return _times(F, _standard(F, size, scale), scale)


@_draw("_gumbel")
def gumbel(F, loc=0.0, scale=1.0, size=None):
    """Return samples of the Gumbel distribution."""
    return _moved(F, F.negative(F.log(_standard(F, size, loc, scale))), loc, scale)


@_draw("_logistic")
def logistic(F, loc=0.0, scale=1.0, size=None):
    """Return samples of the logistic distribution."""
    return _moved(F, F.log(F.expm1(_standard(F, size, loc, scale))), loc, scale)


@_draw("_laplace")
def laplace(F, loc=0.0, scale=1.0, size=None):
    """Return samples of the Laplace distribution. MXNet 1.9.1 does not have it."""
    difference = F.broadcast_sub(_standard(F, size, loc, scale), _standard(F, size, loc, scale))
    return _moved(F, difference, loc, scale)


@_draw("_pareto")
def pareto(F, a, size=None):
    """Return samples of the Pareto distribution."""
    drawn = _standard(F, size, a)
    return F.expm1(F.divide(drawn, a) if is_number(a) else F.broadcast_div(drawn, as_float(F, a)))


@_draw("_powerd")
def power(F, a, size=None):
    """Return samples of the power distribution."""
    return _root(F, F.negative(F.expm1(F.negative(_standard(F, size, a)))), a)


@_draw("_rayleigh")
def rayleigh(F, scale=1.0, size=None):
    """Return samples of the Rayleigh distribution."""
    return _times(F, F.sqrt(F.multiply(_standard(F, size, scale), 2)), scale)


@_draw("_weibull")
def weibull(F, a, size=None):
    """Return samples of the Weibull distribution."""
    return _root(F, _standard(F, size, a), a)


@_draw("_bernoulli")
def bernoulli(F, prob=None, logit=None, size=None, dtype=None):
    """Return samples that are 1 with the given probability, otherwise 0."""
    if (prob is None) == (logit is None):
        raise ArgumentError("npx.random.bernoulli: expected either prob or logit")
    given = prob if logit is None else logit
    drawn = _drawn(F, "uniform", shape_of_draws(size, given))
    if logit is not None:
        given = 1 / (1 + onp.exp(-logit)) if is_number(logit) else F.sigmoid(as_float(F, logit))
    return as_type(F, F.lesser(drawn, given), dtype or "float32")


@_draw("_randint")
def randint(F, low, high=None, size=None, dtype="int64"):
    """Return random integers from low up to, but not including, high."""
    if high is None:
        low, high = 0, low
    drawn = F._random_randint(low=int(low), high=int(high), shape=lengths_of(size) or (1,), dtype="int64")
    return as_type(F, drawn if lengths_of(size) else scalar(F, drawn), dtype or "int64")


@_draw("_choice")
def choice(F, a, size=None, replace=True, p=None):
    """Return random integers below a, with the probabilities p.

    Without replacement, they are the indices of the largest random keys: log p with Gumbel noise, or just noise.
    """
    shape = lengths_of(size)
    count = int(onp.prod(shape))
    if not replace:
        if count > a:
            raise ArgumentError(f"np.random.choice: {count} elements of {a} without replacement")
        keys = _drawn(F, "uniform", (a,)) if p is None else \
            F.broadcast_add(F.log(as_float(F, p)), F.negative(F.log(_drawn(F, "exponential", (a,), lam=1))))
        return shaped(F, F.slice_axis(argsort(F, F.negative(keys)), axis=0, begin=0, end=count), shape)
    if p is None:
        return randint(F, 0, a, shape)
    steps = F.cumsum(as_float(F, p), axis=0)
    total = F.slice_axis(steps, axis=0, begin=a - 1, end=a)
    marks = F.broadcast_greater_equal(F.multiply(F.reshape(_drawn(F, "uniform", (count or 1,)), shape=(-1, 1)), 1.0),
                                      F.reshape(F.broadcast_div(steps, total), shape=(1, -1)))
    return shaped(F, clip(F, as_type(F, F.sum(marks, axis=1), "int64"), 0, a - 1), shape)


@_draw("_choice_of")
def choice_of(F, a, size=None, replace=True, p=None):
    """Return random indices of the rows of an array."""
    return choice(F, a.shape[0], size, replace, p)


@_draw("_permutation")
def permutation(F, x):
    """Return the rows of an array in a random order, or the integers below a number. MXNet 1.9.1 does not have it."""
    count = x if is_number(x) else x.shape[0]
    order = argsort(F, _drawn(F, "uniform", (count,)))
    return order if is_number(x) else take(F, x, order, axis=0)


@_draw("_multinomial")
def multinomial(F, n, pvals, size=None):
    """Return how often each outcome occurred in n draws."""
    lead, kinds = lengths_of(size), pvals.shape[-1]
    drawn = choice(F, kinds, (int(onp.prod(lead)), n), True, pvals)
    marks = F.broadcast_equal(shaped(F, drawn, (*drawn.shape, 1)), shaped(F, arange(F, kinds, dtype="int64"),
                                                                          (1, 1, kinds)))
    return shaped(F, as_type(F, F.sum(marks, axis=1), "int64"), (*lead, kinds))


@_draw("_multivariate_normal")
def multivariate_normal(F, mean, cov, size=None):
    """Return samples of a multivariate normal distribution."""
    n = mean.shape[-1]
    lead = lengths_of(size)
    drawn = _drawn(F, "normal", (int(onp.prod(lead)), n))
    samples = F.dot(drawn, F.linalg_potrf(as_float(F, cov)), transpose_b=True)
    return shaped(F, F.broadcast_add(samples, shaped(F, as_float(F, mean), (1, n))), (*lead, n))
