"""Rows of the operators in `minigluon/ops/random/pdf.py`."""

import math

import numpy as np

from ..case import case, ints, u


def each(density):
    """NumPy's answer from a density of plain numbers; parameters (n,), samples (n, m)."""
    def expect(x, *parameters):
        return np.array([[density(float(v), *[float(p[i]) for p in parameters]) for v in row]
                         for i, row in enumerate(x)], x.dtype)
    return expect


def normal(x, mu, sigma):
    return math.exp(-0.5 * ((x - mu) / sigma) ** 2) / (sigma * math.sqrt(2 * math.pi))


def gamma(x, a, b):
    return b ** a * x ** (a - 1) * math.exp(-b * x) / math.gamma(a)


def negative_binomial(x, k, p):
    return math.gamma(x + k) / (math.gamma(x + 1) * math.gamma(k)) * p ** k * (1 - p) ** x


def generalized(x, mu, alpha):
    return negative_binomial(x, 1 / alpha, 1 / (1 + mu * alpha))


X, K, P = u(2, 3, low=0.1, high=2), ints(2, 3, high=5), u(2, low=0.2, high=0.8)
TABLE = [
    ("uniform", X, [u(2, low=0, high=0.5), u(2, low=1, high=2)], lambda x, low, high: 1 / (high - low)),
    ("normal", X, [u(2), u(2, low=0.5, high=2)], normal),
    ("gamma", X, [u(2, low=0.5, high=3), u(2, low=0.5, high=2)], gamma),
    ("exponential", X, [u(2, low=0.5, high=2)], lambda x, lam: lam * math.exp(-lam * x)),
    ("poisson", K, [u(2, low=0.5, high=2)], lambda x, lam: lam ** x * math.exp(-lam) / math.factorial(int(x))),
    ("negative_binomial", K, [u(2, low=1, high=4), P], negative_binomial),
    ("generalized_negative_binomial", K, [u(2, low=1, high=4), P], generalized),
]
for name, sample, parameters, density in TABLE:
    case(f"_random_pdf_{name}", sample, *parameters, expect=each(density))
    case(f"_random_pdf_{name}", sample, *parameters, is_log=True,
         expect=each(lambda *args, density=density: math.log(density(*args))))


def dirichlet(x, a):
    return np.array([[math.gamma(p.sum()) / math.prod(math.gamma(v) for v in p) * np.prod(v ** (p - 1)) for v in row]
                     for row, p in zip(x, a)], x.dtype)


SIMPLEX, ALPHA = u(2, 3, 4, low=0.1, high=0.6), u(2, 4, low=0.5, high=3)
case("_random_pdf_dirichlet", SIMPLEX, ALPHA, expect=dirichlet)
case("_random_pdf_dirichlet", SIMPLEX, ALPHA, is_log=True, expect=lambda x, a: np.log(dirichlet(x, a)))
case("_random_pdf_normal", u(2, 3), u(2, 3), u(2, 3, low=0.5, high=2),
     expect=lambda x, m, s: np.exp(-0.5 * ((x - m) / s) ** 2) / (s * np.sqrt(2 * np.pi)))
