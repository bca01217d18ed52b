"""Do random numbers come from the distribution that they should come from?"""

import numpy as np

from ..base import ArgumentError
from ..ndarray import NDArray

__all__ = ["chi_square_check", "gen_buckets_probs_with_ppf", "mean_check", "var_check", "verify_generator"]


def gen_buckets_probs_with_ppf(ppf, nbuckets):
    """([(low, high)] that a distribution meets equally often, their probabilities). ppf: its quantile function."""
    if nbuckets < 1:
        raise ArgumentError(f"gen_buckets_probs_with_ppf: nbuckets is {nbuckets}, expected at least 1")
    edges = [ppf(i / nbuckets) for i in range(nbuckets + 1)]
    return list(zip(edges[:-1], edges[1:])), [1.0 / nbuckets] * nbuckets


def mean_check(generator, mu, sigma, nsamples=1000000):
    """Does the mean of samples lie within three standard errors of mu?"""
    mean = _drawn(generator, nsamples).mean()
    return bool(abs(mean - mu) < 3 * sigma / np.sqrt(nsamples))


def var_check(generator, sigma, nsamples=1000000):
    """Does the variance of samples lie within five standard errors of sigma², for a normal distribution?"""
    samples = _drawn(generator, nsamples)
    return bool(abs(samples.var(ddof=1) - sigma ** 2) < 5 * np.sqrt(2 * sigma ** 4 / (nsamples - 1)))


def chi_square_check(generator, buckets, probs, nsamples=1000000):
    """(p, observed counts, expected counts) of Pearson's test; p is small if the samples are of another distribution.

    generator: a function of the number of samples. buckets: intervals (low, high), or single values. probs: of each.
    Needs SciPy.
    """
    from scipy import stats
    samples = _drawn(generator, nsamples)
    if isinstance(buckets[0], (list, tuple)):
        observed = [int(((samples >= low) & (samples < high)).sum()) for low, high in buckets]
        observed[-1] += int((samples == buckets[-1][1]).sum())
    else:
        observed = [int((samples == value).sum()) for value in buckets]
    expected = np.array(probs) * nsamples
    statistic = ((np.array(observed) - expected) ** 2 / expected).sum()
    return float(stats.chi2.sf(statistic, len(buckets) - 1)), observed, expected.astype(int)


def verify_generator(generator, buckets, probs, nsamples=1000000, nrepeat=5, success_rate=0.2, alpha=0.05):
    """The p values of `nrepeat` tests. Raises AssertionError unless a share `success_rate` of them is above alpha."""
    values = [chi_square_check(generator, buckets, probs, nsamples)[0] for _ in range(nrepeat)]
    passed = sum(p > alpha for p in values)
    if passed < nrepeat * success_rate:
        raise AssertionError(f"the samples are of another distribution: {passed} of {nrepeat} tests have p > {alpha}, "
                             f"expected at least {nrepeat * success_rate:g}. The values are {values}.")
    return values


def _drawn(generator, nsamples):
    samples = generator(nsamples)
    samples = samples.asnumpy() if isinstance(samples, NDArray) else np.array(samples)
    if samples.size != nsamples:
        raise ArgumentError(f"the generator made {samples.size} samples, and {nsamples} were asked for")
    return samples.reshape(-1)
