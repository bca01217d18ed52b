"""`mx.random`: the seed, and the samplers of `nd.random`."""

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
from .rng import seed

__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal",
           "poisson", "randint", "randn", "seed", "shuffle", "uniform"]
