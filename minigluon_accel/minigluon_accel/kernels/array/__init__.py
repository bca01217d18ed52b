"""Indexing, joining, slicing, converting and making arrays."""

from . import convert, indexing, joining, shape, slicing, sources
