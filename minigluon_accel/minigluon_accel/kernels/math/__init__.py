"""Elementwise operators and reductions."""

from . import elementwise, reduce
