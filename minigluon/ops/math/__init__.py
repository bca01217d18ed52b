"""Elementwise functions, arithmetic with and without broadcasting, reductions."""

from . import broadcast, elementwise, reduce, scalar, special, statistics, straight_through, stretch
