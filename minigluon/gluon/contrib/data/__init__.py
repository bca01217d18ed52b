"""Contributed samplers and datasets."""

from ...data.sampler import IntervalSampler
from . import text

__all__ = ["IntervalSampler", "text"]
