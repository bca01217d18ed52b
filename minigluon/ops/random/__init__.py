"""Random numbers and samples, and the densities of their distributions."""

from . import hawkes, pdf, random, sample
