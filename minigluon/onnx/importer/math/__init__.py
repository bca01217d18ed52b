"""Arithmetic, functions of single elements, comparisons, reductions."""

from . import binary, elementwise, reduce
