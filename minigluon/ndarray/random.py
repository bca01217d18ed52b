"""`nd.random`: draws from distributions whose parameters are numbers or NDArrays.

With numbers, `shape` is the result's shape ((1,) by default) and `ctx` its device; with NDArrays of shape S, the result
has shape (*S, *shape) on their device. `out=` writes into an existing array. `mx.random.seed` repeats a sequence.
"""

import numbers

from ..base import ArgumentError
from ..context import current_context
from ..ops import REGISTRY
from .ndarray import NDArray
from .register import make_function

__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal",
           "poisson", "randint", "randn", "shuffle", "uniform"]

_functions = {}


def _call(name, *args, **kwargs):
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = make_function(REGISTRY[name], name)
    return function(*args, **kwargs)


def _draw(name, parameters, shape, dtype, ctx, out):
    """Choose between `_random_x` for numbers and `_sample_x` for arrays."""
    kinds = {_kind(p) for p in parameters}
    if len(kinds) > 1:
        raise ArgumentError(f"nd.random.{name}: parameters must be all numbers or all NDArrays, found "
                            + " and ".join(type(p).__name__ for p in parameters))
    kwargs = {} if shape is None else {"shape": shape}
    if dtype is not None:
        kwargs["dtype"] = dtype
    if kinds == {"array"}:
        if "_sample_" + name not in REGISTRY:
            raise ArgumentError(f"nd.random.{name} takes numbers, not NDArrays")
        return _call("_sample_" + name, *parameters, out=out, **kwargs)
    attributes = dict(zip(REGISTRY["_random_" + name].fields, parameters, strict=False))
    if out is None:
        kwargs["ctx"] = current_context() if ctx is None else ctx
    return _call("_random_" + name, out=out, **attributes, **kwargs)


def _kind(parameter):
    if isinstance(parameter, NDArray):
        return "array"
    if isinstance(parameter, numbers.Number):
        return "number"
    raise ArgumentError(f"parameters of distributions must be numbers or NDArrays, found "
                        f"{type(parameter).__name__} {parameter!r}")


def uniform(low=0, high=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Uniform in [low, high)."""
    return _draw("uniform", [low, high], shape, dtype, ctx, out)


def normal(loc=0, scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Normal with mean loc and standard deviation scale."""
    return _draw("normal", [loc, scale], shape, dtype, ctx, out)


def randn(*shape, loc=0, scale=1, dtype=None, ctx=None, out=None, **kwargs):
    """Normal, with the shape as arguments: randn(2, 3)."""
    return _draw("normal", [loc, scale], shape or None, dtype, ctx, out)


def poisson(lam=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Poisson with mean lam, as floats."""
    return _draw("poisson", [lam], shape, dtype, ctx, out)


def exponential(scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Exponential with mean scale."""
    return _draw("exponential", [1.0 / scale], shape, dtype, ctx, out)


def gamma(alpha=1, beta=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Gamma with shape alpha and scale beta: the mean is alpha · beta."""
    return _draw("gamma", [alpha, beta], shape, dtype, ctx, out)


def negative_binomial(k=1, p=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Number of failures before k successes of probability p, as floats."""
    return _draw("negative_binomial", [k, p], shape, dtype, ctx, out)


def generalized_negative_binomial(mu=1, alpha=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Negative binomial with mean mu and variance mu + alpha · mu², as floats."""
    return _draw("generalized_negative_binomial", [mu, alpha], shape, dtype, ctx, out)


def multinomial(data, shape=None, get_prob=False, out=None, dtype="int32", **kwargs):
    """Class numbers drawn with the probabilities of data's last axis, `shape` for each row.

    get_prob=True: a list of the draws and their log probabilities. The latter's gradient is that of REINFORCE.
    """
    return _call("_sample_multinomial", data, shape=() if shape is None else shape, get_prob=get_prob, dtype=dtype,
                 out=out)


def shuffle(data, out=None, **kwargs):
    """The items along the first axis in random order, as a new array."""
    return _call("_shuffle", data, out=out)


def randint(low, high, shape=None, dtype=None, ctx=None, out=None, **kwargs):
    """Integers in [low, high), int32 by default."""
    return _draw("randint", [low, high], shape, dtype, ctx, out)
