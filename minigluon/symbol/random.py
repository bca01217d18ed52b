"""`sym.random`: random draws from distributions. `mx.random.seed` makes them repeatable."""

from ..frontend.distributions import Samplers
from .register import make_function
from .symbol import Symbol

__all__ = ["exponential", "exponential_like", "gamma", "gamma_like", "generalized_negative_binomial",
           "generalized_negative_binomial_like", "multinomial", "negative_binomial", "negative_binomial_like", "normal",
           "normal_like", "poisson", "poisson_like", "randint", "randn", "shuffle", "uniform", "uniform_like"]

_samplers = Samplers("sym.random", make_function, Symbol)

exponential = _samplers.exponential
exponential_like = _samplers.like("exponential")
gamma = _samplers.gamma
gamma_like = _samplers.like("gamma")
generalized_negative_binomial = _samplers.generalized_negative_binomial
generalized_negative_binomial_like = _samplers.like("generalized_negative_binomial")
multinomial = _samplers.multinomial
negative_binomial = _samplers.negative_binomial
negative_binomial_like = _samplers.like("negative_binomial")
normal = _samplers.normal
normal_like = _samplers.like("normal")
poisson = _samplers.poisson
poisson_like = _samplers.like("poisson")
randint = _samplers.randint
randn = _samplers.randn
shuffle = _samplers.shuffle
uniform = _samplers.uniform
uniform_like = _samplers.like("uniform")
