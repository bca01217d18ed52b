"""Indexing, joining, cutting, converting and making arrays."""

from . import contrib, convert, indexing, joining, shape, slicing, sources
