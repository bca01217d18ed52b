"""Arithmetic, functions of single elements, comparisons, bits, reductions."""

from . import binary, bits, elementwise, reduce
