"""erf, erfinv, Γ and its kin against Python's `math` and known values."""

import math

import numpy as np
import pytest

from minigluon import nd
from minigluon.ops.math import special

RNG = np.random.default_rng(3)


@pytest.mark.parametrize(("ours", "theirs", "low", "high", "rtol", "atol"), [
    (special.erf, math.erf, -7, 7, 1e-15, 0), (special.erf, math.erf, -0.6, 0.6, 1e-15, 0),
    (special.gamma, math.gamma, 1e-5, 0.5, 1e-14, 0), (special.gamma, math.gamma, 0.5, 1, 1e-14, 0),
    (special.gamma, math.gamma, 1, 30, 1e-14, 0), (special.gamma, math.gamma, 30, 171, 1e-14, 0),
    (special.gamma, math.gamma, -0.99, -0.01, 1e-14, 0), (special.gamma, math.gamma, -20.9, -20.1, 1e-13, 0),
    (special.gammaln, math.lgamma, 1e-5, 2.5, 0, 1e-14), (special.gammaln, math.lgamma, 2.5, 30, 1e-13, 0),
    (special.gammaln, math.lgamma, 30, 1e6, 1e-14, 0), (special.gammaln, math.lgamma, -9.9, -9.1, 0, 1e-13),
])
def test_against_math(ours, theirs, low, high, rtol, atol):
    x = RNG.uniform(low, high, 3000)
    np.testing.assert_allclose(ours(x), [theirs(v) for v in x], rtol=rtol, atol=atol)


def test_erfinv_undoes_erf():
    x = np.concatenate([RNG.uniform(-1, 1, 3000), 1 - 10 ** -RNG.uniform(0, 15.9, 1000), [1e-300, -1e-10, 0.0]])
    np.testing.assert_allclose([math.erf(y) for y in special.erfinv(x)], x, rtol=2e-15)
    y = RNG.uniform(1e-3, 3, 1000)
    np.testing.assert_allclose(special.erfinv(np.array([math.erf(v) for v in y])), y, rtol=1e-11)


def test_erfc_far_out():
    x = np.linspace(0.47, 5.99, 500)
    np.testing.assert_allclose(np.exp(-x * x) * special.erfc_scaled(x), [math.erfc(v) for v in x], rtol=2e-12)


def test_digamma_and_polygamma_at_known_points():
    euler, zeta3 = 0.5772156649015329, 1.2020569031595942
    np.testing.assert_allclose(special.digamma(np.array([1, 0.5, 2, -0.5])),
                               [-euler, -euler - 2 * math.log(2), 1 - euler, 0.03648997397857652], rtol=1e-13)
    np.testing.assert_allclose(special.polygamma(1, np.array([1, 0.5, -0.5])),
                               [math.pi ** 2 / 6, math.pi ** 2 / 2, math.pi ** 2 / 2 + 4], rtol=1e-13)
    np.testing.assert_allclose(special.polygamma(2, np.array([1, 0.5])), [-2 * zeta3, -14 * zeta3], rtol=1e-13)
    np.testing.assert_allclose(special.polygamma(3, np.array([1])), [math.pi ** 4 / 15], rtol=1e-13)
    assert np.isnan(special.polygamma(1, np.array([-1000.5])))[0]


def test_poles_and_infinities():
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(nd.gamma(nd.array([0.0, -0.0, -1, 172, inf, -inf, nan])).asnumpy(),
                                  np.array([inf, -inf, nan, inf, inf, nan, nan], "float32"))
    np.testing.assert_array_equal(nd.gammaln(nd.array([0, -1, 1, 2, inf, -inf, nan])).asnumpy(),
                                  np.array([inf, inf, 0, 0, inf, inf, nan], "float32"))
    assert abs(nd.gammaln(nd.array([5e-324], dtype="float64")).asscalar() - math.lgamma(5e-324)) < 1e-10
    np.testing.assert_array_equal(nd.erf(nd.array([inf, -inf, nan, 0.0])).asnumpy(), [1, -1, nan, 0])
    np.testing.assert_array_equal(nd.erfinv(nd.array([1, -1, 2, nan, 0])).asnumpy(), [inf, -inf, nan, nan, 0])


def test_gamma_of_whole_numbers_is_whole():
    """Γ(5) as 23.999999999999996 would become 23 in integers."""
    x = np.arange(1, 14)
    expected = [math.factorial(n - 1) for n in x.tolist()]
    np.testing.assert_array_equal(special.gamma(x.astype("float64")), expected)
    for dtype in "int32", "int64":
        np.testing.assert_array_equal(nd.gamma(nd.array(x, dtype=dtype)).asnumpy(), expected)


def test_large_arguments_of_gammaln():
    got = nd.gammaln(nd.array([1e10], dtype="float64")).asscalar()
    assert got == pytest.approx(math.lgamma(1e10), rel=1e-14)


@pytest.mark.parametrize("name", ["erf", "erfinv", "gamma", "gammaln"])
def test_empty_arrays_and_narrow_types(name):
    f = getattr(nd, name)
    assert f(nd.zeros((0, 3))).shape == (0, 3)
    half = f(nd.array([0.25, 0.5], dtype="float16"))
    assert half.dtype == np.float16
    np.testing.assert_allclose(half.asnumpy(), f(nd.array([0.25, 0.5])).asnumpy(), rtol=1e-3)
