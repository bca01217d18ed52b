"""Elementwise functions, arithmetic, reductions, and axes that are stretched."""

from . import broadcast, elementwise, reduce, scalar, stretch
