"""`nd.random`: draws from distributions. `mx.random.seed` repeats a sequence."""

from ..sampling import Samplers
from .ndarray import NDArray
from .register import make_function

__all__ = ["exponential", "gamma", "generalized_negative_binomial", "multinomial", "negative_binomial", "normal",
           "poisson", "randint", "randn", "shuffle", "uniform"]

_samplers = Samplers("nd.random", make_function, NDArray)

exponential = _samplers.exponential
gamma = _samplers.gamma
generalized_negative_binomial = _samplers.generalized_negative_binomial
multinomial = _samplers.multinomial
negative_binomial = _samplers.negative_binomial
normal = _samplers.normal
poisson = _samplers.poisson
randint = _samplers.randint
randn = _samplers.randn
shuffle = _samplers.shuffle
uniform = _samplers.uniform
