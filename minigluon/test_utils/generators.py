"""Tests of random numbers: their mean, variance and distribution."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ArgumentError
from ..common.optional_packages import require

__all__ = ["chi_square_check", "gen_buckets_probs_with_ppf", "mean_check", "var_check", "verify_generator"]


def gen_buckets_probs_with_ppf(ppf: Any, nbuckets: Any) -> tuple[list[Any], list[Any]]:
    """Return ([(from, to)], [probability]) for equally probable buckets. ppf: the distribution's quantile function.

    nbuckets: the number of buckets.

    >>> buckets, probs = mx.test_utils.gen_buckets_probs_with_ppf(lambda p: 10 * p, 2)        # uniform in 0 ... 10
    >>> buckets, probs
    ([(0.0, 5.0), (5.0, 10.0)], [0.5, 0.5])
    """
    if nbuckets < 1:
        raise ArgumentError(f"gen_buckets_probs_with_ppf: nbuckets must be at least 1, found {nbuckets}")
    edges = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(zip(edges[:-1], edges[1:], strict=True)), [1.0 / nbuckets] * nbuckets


def mean_check(generator: Any, mu: Any, sigma: float, nsamples: int = 1000000) -> Any:
    """Return whether the mean of `generator(nsamples)` is within 3 standard errors of mu.

    sigma: the standard deviation of the numbers.
    nsamples: the number of samples to draw.

    >>> mx.test_utils.mean_check(lambda n: np.tile([0.0, 2.0], n // 2), mu=1, sigma=1, nsamples=1000)
    True
    """
    error = abs(np.array(generator(nsamples)).mean() - mu)
    return bool(error < 3 * sigma / np.sqrt(nsamples))


def var_check(generator: Any, sigma: float, nsamples: int = 1000000) -> Any:
    """Return whether the variance of `generator(nsamples)` is within 3 standard errors of sigma².

    The standard error is that of a normal distribution.

    sigma: the standard deviation.
    nsamples: the number of samples to draw.

    >>> mx.test_utils.var_check(lambda n: np.tile([0.0, 2.0], n // 2), sigma=1, nsamples=1000)
    True
    """
    error = abs(np.array(generator(nsamples)).var(ddof=1) - sigma ** 2)
    return bool(error < 3 * np.sqrt(2 * sigma ** 4 / (nsamples - 1)))


def chi_square_check(generator: Any, buckets: Any, probs: Any, nsamples: int = 1000000) -> Any:
    """Return (p value, [samples in each bucket], [expected samples in each bucket]) of Pearson's chi-square test.

    generator: a function that draws n numbers.
    buckets: in order, [(from, to)] for continuous distributions, the numbers themselves for discrete ones.
    probs: the probability of each bucket. Requires SciPy.
    nsamples: the number of samples to draw.

    >>> alternating = lambda n: np.arange(n) % 2
    >>> p, found, expected = mx.test_utils.chi_square_check(alternating, [0, 1], [0.5, 0.5], nsamples=1000)
    >>> float(p)
    1.0
    """
    require("scipy", extra="test", user="mx.test_utils.chi_square_check")
    from scipy import stats
    if not isinstance(buckets, list) or len(buckets) != len(probs):
        raise ArgumentError(f"chi_square_check: buckets must be a list, with as many entries as probs ({len(probs)})")
    samples = np.asarray(generator(nsamples))
    if isinstance(buckets[0], (list, tuple)):
        edges = np.array(buckets, np.float32).ravel()
        if (np.diff(edges) < 0).any():
            raise ArgumentError("chi_square_check: the buckets must be in order and must not overlap")
        place = np.searchsorted(edges, samples, side="right") // 2
        observed = np.array([(place == i).sum() for i in range(len(buckets))])
    else:
        observed = np.array([(samples == value).sum() for value in buckets])
    expected = (nsamples * np.array(probs, np.float32)).astype(np.int32)
    statistic = ((observed - expected) ** 2 / expected).sum()
    return stats.chi2.sf(statistic, len(buckets) - 1), observed, expected


def verify_generator(generator: Any, buckets: Any, probs: Any, nsamples: int = 1000000, nrepeat: Any = 5,
                     success_rate: float = 0.2, alpha: float = 0.05) -> Any:
    """Raise AssertionError unless a fraction `success_rate` of `nrepeat` chi-square tests have p > alpha.

    generator, buckets, probs, nsamples: as in `chi_square_check`.

    Returns the p values.

    >>> draw = lambda n: np.random.randint(0, 2, n)
    >>> ps = mx.test_utils.verify_generator(draw, [0, 1], [0.5, 0.5], nsamples=1000)
    >>> len(ps)
    5
    """
    results = [chi_square_check(generator, buckets, probs, nsamples) for _ in range(nrepeat)]
    p_values = [p for p, _, _ in results]
    if sum(p > alpha for p in p_values) < nrepeat * success_rate:
        raise AssertionError(f"Generator test fails, Chi-square p={p_values}, obs_freq={[r[1] for r in results]}, "
                             f"expected_freq={[r[2] for r in results]}.\nbuckets={buckets}, probs={probs}")
    return p_values
