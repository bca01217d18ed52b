"""Arithmetic, elementwise functions, comparisons, bitwise operations, reductions."""

from . import binary, bits, elementwise, reduce
