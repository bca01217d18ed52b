"""Probability densities with elementary formulas: uniform, normal, exponential."""

import math

from ...table import translates

__all__ = []


def _against(g, parameter, sample):
    """Reshapes a parameter (*S) to broadcast against samples (*S, *T)."""
    return g.reshape(parameter, (*parameter.shape, *(1,) * (sample.rank - parameter.rank)))


def _density(g, op, log):
    return log if op.is_log else g.Exp(log)


@translates("_random_pdf_uniform")
def uniform(g, op, sample, low, high):
    log = g.Neg(g.Log(high - low))
    return g.expand(_density(g, op, _against(g, log, sample)), sample.shape)


@translates("_random_pdf_normal")
def normal(g, op, sample, mu, sigma):
    mean, spread = _against(g, mu, sample), _against(g, sigma, sample)
    z = (sample - mean) / spread
    return _density(g, op, z * z * -0.5 - g.Log(spread) - 0.5 * math.log(2 * math.pi))


@translates("_random_pdf_exponential")
def exponential(g, op, sample, lam):
    rate = _against(g, lam, sample)
    return _density(g, op, g.Log(rate) - rate * sample)
