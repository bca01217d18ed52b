"""Random numbers and samples, and the densities of their distributions."""

from . import random, sample
