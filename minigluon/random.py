"""`mx.random`: the seed, and the samplers from `nd.random`."""

from .common.generators import seed
from .ndarray.random import (
    exponential,
    gamma,
    generalized_negative_binomial,
    multinomial,
    negative_binomial,
    normal,
    poisson,
    randint,
    randn,
    shuffle,
    uniform,
)

__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal",
           "poisson", "randint", "randn", "seed", "shuffle", "uniform"]
