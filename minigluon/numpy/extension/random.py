"""`npx.random`: distributions that `np.random` does not have, and the seed."""

from __future__ import annotations

from typing import Any

from ...base import ArgumentError
from ...common.generators import seed
from .. import random as np_random
from ..array import ndarray
from ..namespace import lookup

__all__ = ["bernoulli", "normal_n", "seed", "uniform_n"]


def bernoulli(prob: Any = None, logit: Any = None, size: Any = None, dtype: Any = None, ctx: Any = None,
              out: Any = None) -> Any:
    """Return samples that are 1 with probability prob, otherwise 0.

    prob: the probability, a number or an array.
    logit: its log odds, instead of prob.
    size: the shape, that of the parameter if None.
    dtype: float32 if None.
    ctx: the device, the current one if None.
    out: an array to write to.

    Raises ArgumentError unless exactly one of prob and logit is given.

    >>> npx.random.bernoulli(np.array([0, 1]))
    array([0., 1.])
    """
    if (prob is None) == (logit is None):
        raise ArgumentError("npx.random.bernoulli: expected either prob or logit")
    given = prob if logit is None else logit
    if size is None and given.__class__ is ndarray:
        size = given.shape
    drawn = np_random.uniform(size=size, ctx=given.ctx if given.__class__ is ndarray else ctx)
    odds = given if logit is None else 1 / (1 + lookup("exp")(-given))
    result = (drawn < odds).astype("float32" if dtype is None else dtype)
    if out is None:
        return result
    out[...] = result
    return out


def _batch(draw, first, second, batch_shape, dtype, ctx):
    shapes = [x.shape for x in (first, second) if x.__class__ is ndarray]
    longest = max(shapes, key=len, default=())
    front = () if batch_shape is None else (batch_shape,) if isinstance(batch_shape, int) else tuple(batch_shape)
    return draw(first, second, size=(*front, *longest), dtype=dtype, ctx=ctx)


def normal_n(loc: Any = 0.0, scale: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return normally distributed samples of shape (*batch_shape, *shape of the parameters).

    loc, scale: the mean and the standard deviation, numbers or arrays.
    batch_shape: the leading axes.
    dtype: float32 if None.
    ctx: the device, the current one if None.

    >>> npx.random.normal_n(np.zeros(3), np.ones(3), batch_shape=(2,)).shape
    (2, 3)
    """
    return _batch(np_random.normal, loc, scale, batch_shape, dtype, ctx)


def uniform_n(low: Any = 0.0, high: Any = 1.0, batch_shape: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
    """Return uniformly distributed samples of shape (*batch_shape, *shape of the parameters).

    low, high: the bounds, numbers or arrays.
    batch_shape: the leading axes.
    dtype: float32 if None.
    ctx: the device, the current one if None.

    >>> npx.random.uniform_n(np.zeros(3), 1, batch_shape=2).shape
    (2, 3)
    """
    return _batch(np_random.uniform, low, high, batch_shape, dtype, ctx)
