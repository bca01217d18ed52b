"""Rows of the operators in `minigluon/ops/random/random.py`."""

from ..case import case, ints, u

# Values are random: tests/ops/random/test_random.py judges them. Here are the shape rules and dtypes.
for name in ("uniform", "normal", "gamma", "exponential", "poisson", "negative_binomial",
             "generalized_negative_binomial"):
    case(f"_random_{name}", shape=(2, 3), oracle="random")
    case(f"_random_{name}_like", u(3, 1), grad=(), oracle="random")
case("_random_randint", low=-3, high=5, shape=(4,), oracle="random")
case("_shuffle", u(5, 2), grad=(), oracle="random")
case("_sample_uniform", u(2, 3), u(2, 3, low=1, high=2), shape=(4,), grad=(), oracle="random")
case("_sample_normal", u(2), u(2, low=1, high=2), shape=(3, 1), grad=(), oracle="random")
case("_sample_gamma", u(2, low=1, high=2), u(2, low=1, high=2), grad=(), oracle="random")
case("_sample_exponential", u(2, low=1, high=2), shape=(3,), grad=(), oracle="random")
case("_sample_poisson", u(2, low=1, high=9), shape=(3,), grad=(), oracle="random")
case("_sample_negative_binomial", ints(2, low=1), u(2, low=0.1, high=1), shape=(3,), grad=(), oracle="random")
case("_sample_generalized_negative_binomial", u(2, low=1, high=3), u(2, low=0, high=1), shape=(3,), grad=(),
     oracle="random")
