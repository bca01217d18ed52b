"""erf, erfinv, gamma, gammaln and the derivatives of log Γ, which NumPy does not have.

All are computed in float64 with a relative error of about 1e-14 (near the zeros of gammaln, an absolute error) and
rounded to the type of the input.
"""

import math

import numpy as np

from ..numeric import cast
from ..op import Op
from ..registry import register
from .elementwise import unary

__all__ = ["digamma", "erf", "erfc_scaled", "erfinv", "gamma", "gammaln", "in_float64", "normal_distribution",
           "polygamma"]

# W. J. Cody, Rational Chebyshev approximations for the error function, Math. Comp. 23, 1969.
# Numerator and denominator, highest power first. For |x| < 0.46875, erf(x) = x · P(x²) / Q(x²).
_ERF_P = [1.85777706184603153e-1, 3.16112374387056560, 1.13864154151050156e2, 3.77485237685302021e2,
          3.20937758913846947e3]
_ERF_Q = [1.0, 2.36012909523441209e1, 2.44024637934444173e2, 1.28261652607737228e3, 2.84423683343917062e3]
# Above that, erfc(x) = e^(-x²) · P(x) / Q(x). The paper's range ends at 4, but the error remains 1e-12 up to 6.
_ERFC_P = [2.15311535474403846e-8, 5.64188496988670089e-1, 8.88314979438837594, 6.61191906371416295e1,
           2.98635138197400131e2, 8.81952221241769090e2, 1.71204761263407058e3, 2.05107837782607147e3,
           1.23033935479799725e3]
_ERFC_Q = [1.0, 1.57449261107098347e1, 1.17693950891312499e2, 5.37181101862009858e2, 1.62138957456669019e3,
           3.29079923573345963e3, 4.36261909014324716e3, 3.43936767414372164e3, 1.23033935480374942e3]

# C. Lanczos, A precision approximation of the gamma function, SIAM J. Numer. Anal. 1, 1964; g = 7, nine terms.
_LANCZOS_G = 7
_LANCZOS = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
            12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7]

# B(2j), the Bernoulli numbers of the asymptotic series
_BERNOULLI = [1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510, 43867 / 798]
_LARGE = 12         # from this x upward, the asymptotic series are exact in float64


def _in_squares(coefficients, z):
    """Returns Σ coefficients[j] / z²ʲ by Horner's rule, because computing powers would take most of the time."""
    return np.polyval(coefficients[::-1], np.square(1 / z))


def erfc_scaled(x):
    """Returns e^(x²) · erfc(x) for 0.46875 <= x < 6."""
    return np.polyval(_ERFC_P, x) / np.polyval(_ERFC_Q, x)


def erf(x):
    """Returns 2/√π · ∫₀ˣ e^(-t²) dt."""
    size = np.minimum(np.abs(x), 6.0)           # erf(6) rounds to 1
    large = np.copysign(1 - np.exp(-size * size) * erfc_scaled(size), x)
    return np.where(size < 0.46875, _erf_near_zero(np.clip(x, -0.5, 0.5)), large)


def normal_distribution(x):
    """Returns Φ(x), the normal distribution function. Computing it as (1 + erf) / 2 would lose the digits of small
    values.
    """
    size = np.minimum(np.abs(x), 60.0) * 0.5 ** 0.5             # Φ(-60) is 0 in float64
    scaled = erfc_scaled(np.clip(size, 0.46875, 6.0))
    if (size > 6).any():
        scaled = np.where(size > 6, _far_erfc_scaled(np.maximum(size, 6.0)), scaled)
    tail = np.exp(-size * size) * scaled / 2
    near = _erf_near_zero(np.clip(x * 0.5 ** 0.5, -0.5, 0.5)) / 2
    return np.where(size < 0.46875, 0.5 + near, np.where(x > 0, 1 - tail, tail))


def _far_erfc_scaled(x):
    """Returns e^(x²) · erfc(x) for x >= 6: using the series 1 / (x √π) · Σ (-1)ᵏ (2k - 1)!! / (2 x²)ᵏ."""
    z, total = -0.5 / np.square(x), np.ones_like(x)
    for k in range(19, 0, -1):
        total = 1 + (2 * k - 1) * z * total
    return total / (x * math.sqrt(math.pi))


def _erf_near_zero(x):
    square = x * x
    return x * (np.polyval(_ERF_P, square) / np.polyval(_ERF_Q, square))


def erfinv(x):
    """Returns y with erf(y) = x; ±inf at ±1 and NaN beyond. Uses Winitzki's approximation (2008), refined with Halley's
    method.
    """
    size = np.abs(x)
    log = np.log1p(-size * size)
    a = 2 / (math.pi * 0.147) + log / 2
    y = np.sqrt(np.sqrt(a * a - log / 0.147) - a)
    for _ in range(2):
        # the distance from the target; where erf is flat, computed from the complements. erf(0.466) is 0.49
        bell = np.exp(-y * y)
        steep, flat = _erf_near_zero(np.minimum(y, 0.5)), bell * erfc_scaled(np.clip(y, 0.46, 6.0))
        error = np.where(size < 0.49, steep - size, (1 - size) - flat) * (math.sqrt(math.pi) / 2) / bell
        y = y - error / (1 + y * error)
    y = np.where(size == 1, np.inf, y)
    return np.copysign(np.where(size > 1, np.nan, y), x)


def _lanczos_sum(z):
    total = _LANCZOS[0] + sum(c / (z + k) for k, c in enumerate(_LANCZOS[1:], 1))
    return total * math.sqrt(2 * math.pi)


def gamma(x):
    """Returns Γ(x); at the poles, ±inf for ±0 and NaN for the negative integers."""
    reflect = x < 0.5
    z = np.where(reflect, 1 - x, x)
    whole = np.floor(z)
    # Γ(z) = (z-1)(z-2)... Γ(z-k) down to the interval [1, 2): one rounding per factor is more accurate than a large
    # power
    product, reduced = np.ones_like(z), np.where(np.isfinite(z), z - whole + 1, z)
    for k in range(int(np.clip(np.nanmax(np.where(np.isfinite(z), z, 1), initial=1), 1, 180)) - 1):
        step = reduced + k
        product = np.where(step < z - 0.5, product * step, product)
    t = reduced + (_LANCZOS_G - 0.5)
    base = _lanczos_sum(reduced - 1) * t ** (reduced - 0.5) * np.exp(-t)
    base = np.where(reduced == 1, 1, base)              # Γ(1): factorials stay exact when cast to integers
    y = np.where(z < 1, base / z, base * product)       # z in [0.5, 1): Γ(z) = Γ(z + 1) / z
    y = np.where(z > 180, np.inf, y)
    y = np.where(reflect, math.pi / (_sin_pi(x) * y), y)
    y = np.where((x < 0) & (x == np.floor(x)), np.nan, y)
    return np.where(x == 0, np.copysign(np.inf, x), y)


def gammaln(x):
    """Returns log |Γ(x)|; inf at 0 and the negative integers."""
    reflect = x < 0.5
    z = np.where(reflect, 1 - x, x)
    t = z + (_LANCZOS_G - 0.5)
    middle = np.log(_lanczos_sum(z - 1)) + (z - 0.5) * np.log(t) - t
    large = np.maximum(z, _LARGE)
    series = _in_squares([b / (2 * j * (2 * j - 1)) for j, b in enumerate(_BERNOULLI, 1)], large) / large
    stirling = (large - 0.5) * np.log(large) - large + math.log(2 * math.pi) / 2 + series
    y = np.where(z < _LARGE, middle, stirling)
    y = np.where(reflect, np.log(math.pi / np.abs(_sin_pi(x))) - y, y)
    y = np.where(np.abs(x) < 1e-17, -np.log(np.abs(x)), y)
    return np.where(np.isinf(x), np.inf, np.where((x < 0) & (x == np.floor(x)), np.inf, y))


def _sin_pi(x):
    """Returns sin(π x), exact at integers."""
    whole = np.rint(x)
    return np.sin(math.pi * (x - whole)) * (1 - 2 * np.mod(whole, 2))


def digamma(x):
    """Returns d/dx log Γ(x), by recurrence up to x >= 12 and the asymptotic series, with reflection for negative x."""
    reflect = x < 0
    z = np.where(reflect, 1 - x, x)
    y = np.zeros_like(z)
    for _ in range(_LARGE):
        small = z < _LARGE
        y = np.where(small, y - 1 / z, y)
        z = np.where(small, z + 1, z)
    y = y + np.log(z) - 0.5 / z - _in_squares([0, *(b / (2 * j) for j, b in enumerate(_BERNOULLI, 1))], z)
    fraction = x - np.rint(x)
    y = np.where(reflect, y - math.pi / np.tan(math.pi * fraction), y)
    return np.where((x < 0) & (fraction == 0), np.nan, y)


def polygamma(n, x):
    """Returns the n-th derivative of digamma, n >= 1: (-1)ⁿ⁺¹ n! ζ(n + 1, x), with the Hurwitz zeta function computed
    by the Euler-Maclaurin formula.

    Returns NaN below x = -1000, where the recurrence would be too long.
    """
    s = n + 1
    z = np.where(x < -1000, np.nan, x)
    lowest = np.nanmin(np.where(np.isfinite(z), z, _LARGE + n), initial=_LARGE + n)
    zeta = np.zeros_like(z)
    for _ in range(max(0, math.ceil(_LARGE + n - lowest))):
        small = z < _LARGE + n
        zeta = np.where(small, zeta + np.where(z == 0, np.inf, z) ** -s, zeta)
        z = np.where(small, z + 1, z)
    zeta = zeta + z ** (1 - s) / (s - 1) + z ** -s / 2
    rising = s
    for j, b in enumerate(_BERNOULLI, 1):
        zeta = zeta + b / math.factorial(2 * j) * rising * z ** (1 - s - 2 * j)
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    zeta = np.where((x <= 0) & (x == np.floor(x)), np.inf, zeta)
    return (-1) ** s * math.factorial(n) * zeta


_BLOCK = 8192       # the number of elements per block, so that the many intermediate results stay in the cache


def in_float64(compute):
    """Returns a function that applies `compute` in float64, block by block, to an array of any type."""
    def forward(x):
        flat = x.reshape(-1)
        out = np.empty(flat.size, x.dtype)
        for start in range(0, flat.size, _BLOCK):
            block = flat[start:start + _BLOCK].astype(np.float64)
            out[start:start + _BLOCK] = cast(compute(block), x.dtype)
        return out.reshape(x.shape)
    return forward


unary("erf", in_float64(erf), lambda F, g, x, y: 2 / math.sqrt(math.pi) * g * F.exp(-F.square(x)),
      "the error function", "[0, 1] -> [0.  , 0.84]")
unary("erfinv", in_float64(erfinv), lambda F, g, x, y: math.sqrt(math.pi) / 2 * g * F.exp(F.square(y)),
      "the inverse of the error function", "[0, 0.5] -> [0.  , 0.48]", keeps=("outputs",))
unary("gamma", in_float64(gamma), lambda F, g, x, y: g * y * F._polygamma(x, n=0),
      "the gamma function Γ(x)", "[0.5, 1, 5] -> [ 1.77,  1.  , 24.  ]", keeps=("inputs", "outputs"))
unary("gammaln", in_float64(gammaln), lambda F, g, x, y: g * F._polygamma(x, n=0),
      "log |Γ(x)|", "[1, 2, 5] -> [0.  , 0.  , 3.18]")


@register("data")
class _polygamma(Op):
    """The n-th derivative of digamma, which is the derivative of log Γ."""

    n: int = 0
    keeps = ("inputs",)

    def infer_shape(self, data):
        if not 0 <= self.n <= 100:      # for larger n, n! soon overflows float64, and the recurrence takes n steps
            raise self.shape_clash(f"n={self.n} must lie between 0 and 100")
        return [data], [data]

    def forward(self, data):
        return in_float64(lambda x: polygamma(self.n, x) if self.n else digamma(x))(data)

    def gradient(self, F, out_grads, inputs, outputs):
        return out_grads[0] * F._polygamma(inputs[0], n=self.n + 1)
