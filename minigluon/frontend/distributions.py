"""The functions in `nd.random` and `sym.random`: draws from distributions whose parameters are numbers or arrays."""

from __future__ import annotations

from typing import Any

from ..base import ArgumentError
from ..common.types import DType, Number, Shape
from ..context import Context
from .random_functions import Array, CommonSamplers, sampler

__all__ = ["Samplers"]


class Samplers(CommonSamplers[Array]):
    """The samplers of one namespace, as `CommonSamplers` describes them."""

    def _rate(self, scale):
        """Return 1 / scale for a number."""
        if self._kind(scale) == "number" and not abs(scale) > 0:         # a negative scale raises an error
            raise ArgumentError(f"exponential: scale is {scale}, expected a number above 0")
        return 1.0 / scale

    @sampler
    def randn(self, *shape: int, loc: Array | Number = 0, scale: Array | Number = 1, dtype: DType | None = None,
              ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return normally distributed samples, with the shape given as separate arguments.

        loc: the mean.
        scale: the standard deviation.

        >>> nd.random.randn(2, 3).shape
        (2, 3)
        """
        return self._draw("normal", [loc, scale], shape or None, dtype, ctx, out, kwargs)

    @sampler
    def poisson(self, lam: Array | Number = 1, shape: Shape | None = None, dtype: DType | None = None,
                ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return Poisson samples with mean lam, as floats.

        lam: the mean.

        >>> x = nd.random.poisson(4, shape=100).asnumpy()
        >>> bool((x == x.round()).all() and abs(x.mean() - 4) < 2)
        True
        """
        return self._draw("poisson", [lam], shape, dtype, ctx, out, kwargs)

    @sampler
    def exponential(self, scale: Array | Number = 1, shape: Shape | None = None, dtype: DType | None = None,
                    ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return exponential samples with mean scale.

        scale: the mean.

        >>> x = nd.random.exponential(4, shape=100).asnumpy()
        >>> bool(x.min() >= 0 and abs(x.mean() - 4) < 3)
        True
        """
        return self._draw("exponential", [self._rate(scale)], shape, dtype, ctx, out, kwargs)

    @sampler
    def gamma(self, alpha: Array | Number = 1, beta: Array | Number = 1, shape: Shape | None = None,
              dtype: DType | None = None, ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return gamma samples with shape alpha and scale beta: the mean is alpha · beta.

        alpha: the shape.
        beta: the scale.

        >>> x = nd.random.gamma(4, 2, shape=100).asnumpy()
        >>> bool(x.min() > 0 and abs(x.mean() - 8) < 4)
        True
        """
        return self._draw("gamma", [alpha, beta], shape, dtype, ctx, out, kwargs)

    @sampler
    def negative_binomial(self, k: Array | Number = 1, p: Array | Number = 1, shape: Shape | None = None,
                          dtype: DType | None = None, ctx: Context | None = None, out: Array | None = None,
                          **kwargs: Any) -> Array:
        """Return the number of failures before k successes, each with probability p, as floats.

        k: the number of successes.
        p: the probability of a success.

        >>> print(nd.random.negative_binomial(3, 1, shape=2).asnumpy())         # p = 1 never fails
        [0. 0.]
        """
        return self._draw("negative_binomial", [k, p], shape, dtype, ctx, out, kwargs)

    @sampler
    def generalized_negative_binomial(self, mu: Array | Number = 1, alpha: Array | Number = 1,
                                      shape: Shape | None = None, dtype: DType | None = None,
                                      ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return negative binomial samples with mean mu and variance mu + alpha · mu², as floats.

        mu: the mean.
        alpha: the dispersion; with 0, this is the Poisson distribution.

        >>> x = nd.random.generalized_negative_binomial(4, 0.1, shape=100).asnumpy()
        >>> bool((x == x.round()).all() and abs(x.mean() - 4) < 3)
        True
        """
        return self._draw("generalized_negative_binomial", [mu, alpha], shape, dtype, ctx, out, kwargs)

    def multinomial(self, data: Array, shape: Shape | None = None, get_prob: bool = False, out: Array | None = None,
                    dtype: DType = "int32", **kwargs: Any) -> Any:
        """Return class indices drawn with the probabilities in data's last axis.

        data: the probabilities, (classes,) or (*rows, classes).
        shape: the shape of the draws per row; one draw if None.
        get_prob: whether to return a list of the draws and their log probabilities, whose gradient is REINFORCE's.
        out: an array to write to.
        dtype: the dtype of the draws.
        kwargs: `name`, the name of the node in a graph.

        >>> print(nd.random.multinomial(nd.array([0, 1, 0]), shape=4).asnumpy())
        [1 1 1 1]
        """
        return self._call("_sample_multinomial", data, shape=() if shape is None else shape, get_prob=get_prob,
                          dtype=dtype, out=out, **kwargs)

    def shuffle(self, data: Array, out: Array | None = None, **kwargs: Any) -> Array:
        """Return the items along the first axis in random order, as a new array.

        data: the items.
        out: an array to write to.
        kwargs: `name`, the name of the node in a graph.

        >>> print(nd.random.shuffle(nd.arange(5)).sort().asnumpy())
        [0. 1. 2. 3. 4.]
        """
        return self._call("_shuffle", data, out=out, **kwargs)

    def randint(self, low: Array | Number, high: Array | Number, shape: Shape | None = None, dtype: DType | None = None,
                ctx: Context | None = None, out: Array | None = None, **kwargs: Any) -> Array:
        """Return random integers in [low, high).

        low: the lower bound, inclusive.
        high: the upper bound, exclusive.
        shape: the shape of the result; (1,) if None.
        dtype: the dtype of the result, 'int32' or 'int64'; int32 if None.
        ctx: the device; the current one if None.
        out: an array to write to.
        kwargs: `name`, the name of the node in a graph.

        >>> x = nd.random.randint(0, 3, shape=100).asnumpy()
        >>> print(sorted(set(x.tolist())))
        [0, 1, 2]
        """
        return self._draw("randint", [low, high], shape, dtype, ctx, out, kwargs)
