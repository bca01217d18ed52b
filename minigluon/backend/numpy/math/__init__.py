"""Elementwise functions, arithmetic, reductions, and stretched axes."""

from . import broadcast, elementwise, reduce, scalar, stretch
