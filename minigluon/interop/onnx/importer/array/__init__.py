"""Shapes, slices and indices of arrays."""

from . import axes, convert, indexing, ordering, padding, sequences, shape, slicing, sources
