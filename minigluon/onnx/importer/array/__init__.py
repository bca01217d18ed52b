"""Shapes, pieces and places of arrays."""

from . import axes, convert, indexing, ordering, padding, shape, slicing, sources
