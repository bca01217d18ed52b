"""Elementwise functions, arithmetic with and without broadcasting, and reductions."""

from . import broadcast, elementwise, reduce, scalar, special, statistics, straight_through, stretch
