"""Elementwise operators and reductions."""

from . import broadcast, elementwise, reduce, scalar, statistics, stretch
