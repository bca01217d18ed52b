"""Shapes, pieces and places of arrays."""

from . import axes, convert, indexing, ordering, padding, sequences, shape, slicing, sources
