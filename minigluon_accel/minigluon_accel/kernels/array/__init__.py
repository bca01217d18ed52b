"""Indexing, joining, extending, slicing, converting and making arrays."""

from . import axes, convert, extending, indexing, joining, sequence, shape, slicing, sources
