"""The functions of `nd.random` and `sym.random`: draws from distributions, parameters numbers or arrays."""

import numbers

from .base import ArgumentError
from .ops import REGISTRY

__all__ = ["Samplers"]


class Samplers:
    """The samplers of one namespace, made with its `make_function` and its type of arrays.

    With numbers as parameters, `shape` is the result's shape ((1,) by default) and `ctx` its device; with arrays of
    shape S, the result has shape (*S, *shape) on their device. `out=` writes into an existing array.
    """

    def __init__(self, namespace, make_function, array_type):
        self._namespace = namespace
        self._make_function = make_function
        self._array_type = array_type
        self._functions = {}

    def _call(self, operator, *args, out=None, **kwargs):
        function = self._functions.get(operator)
        if function is None:
            function = self._functions[operator] = self._make_function(REGISTRY[operator], operator)
        return function(*args, **kwargs) if out is None else function(*args, out=out, **kwargs)

    def like(self, name):
        """A function that draws in the shape, dtype and context of an array; the parameters are numbers."""
        return self._make_function(REGISTRY[f"_random_{name}_like"], f"{name}_like")

    def _draw(self, name, parameters, shape, dtype, ctx, out, kwargs):
        """Choose between `_random_x` for numbers and `_sample_x` for arrays."""
        kinds = {self._kind(p) for p in parameters}
        if len(kinds) > 1:
            raise ArgumentError(f"{self._namespace}.{name}: parameters must be all numbers or all arrays, found "
                                + " and ".join(type(p).__name__ for p in parameters))
        given = {"shape": shape, "dtype": dtype, "out": out}
        kwargs = {**{key: value for key, value in given.items() if value is not None}, **kwargs}
        if kinds == {"array"}:
            if "_sample_" + name not in REGISTRY:
                raise ArgumentError(f"{self._namespace}.{name} takes numbers, not arrays")
            return self._call("_sample_" + name, *parameters, **kwargs)
        if out is None and ctx is not None:
            kwargs["ctx"] = ctx
        named = dict(zip(REGISTRY["_random_" + name].fields, parameters, strict=False))
        return self._call("_random_" + name, **named, **kwargs)

    def _kind(self, parameter):
        if isinstance(parameter, self._array_type):
            return "array"
        if isinstance(parameter, numbers.Number):
            return "number"
        raise ArgumentError(f"parameters of distributions must be numbers or arrays, found "
                            f"{type(parameter).__name__} {parameter!r}")

    def uniform(self, low=0, high=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Uniform in [low, high)."""
        return self._draw("uniform", [low, high], shape, dtype, ctx, out, kwargs)

    def normal(self, loc=0, scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Normal with mean loc and standard deviation scale."""
        return self._draw("normal", [loc, scale], shape, dtype, ctx, out, kwargs)

    def randn(self, *shape, loc=0, scale=1, dtype=None, ctx=None, out=None, **kwargs):
        """Normal, with the shape as arguments: randn(2, 3)."""
        return self._draw("normal", [loc, scale], shape or None, dtype, ctx, out, kwargs)

    def poisson(self, lam=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Poisson with mean lam, as floats."""
        return self._draw("poisson", [lam], shape, dtype, ctx, out, kwargs)

    def exponential(self, scale=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Exponential with mean scale."""
        return self._draw("exponential", [1.0 / scale], shape, dtype, ctx, out, kwargs)

    def gamma(self, alpha=1, beta=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Gamma with shape alpha and scale beta: the mean is alpha · beta."""
        return self._draw("gamma", [alpha, beta], shape, dtype, ctx, out, kwargs)

    def negative_binomial(self, k=1, p=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Number of failures before k successes of probability p, as floats."""
        return self._draw("negative_binomial", [k, p], shape, dtype, ctx, out, kwargs)

    def generalized_negative_binomial(self, mu=1, alpha=1, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Negative binomial with mean mu and variance mu + alpha · mu², as floats."""
        return self._draw("generalized_negative_binomial", [mu, alpha], shape, dtype, ctx, out, kwargs)

    def multinomial(self, data, shape=None, get_prob=False, out=None, dtype="int32", **kwargs):
        """Class numbers drawn with the probabilities of data's last axis, `shape` for each row.

        get_prob=True: a list of the draws and their log probabilities. The latter's gradient is that of REINFORCE.
        """
        return self._call("_sample_multinomial", data, shape=() if shape is None else shape, get_prob=get_prob,
                          dtype=dtype, out=out, **kwargs)

    def shuffle(self, data, out=None, **kwargs):
        """The items along the first axis in random order, as a new array."""
        return self._call("_shuffle", data, out=out, **kwargs)

    def randint(self, low, high, shape=None, dtype=None, ctx=None, out=None, **kwargs):
        """Integers in [low, high), int32 by default."""
        return self._draw("randint", [low, high], shape, dtype, ctx, out, kwargs)
