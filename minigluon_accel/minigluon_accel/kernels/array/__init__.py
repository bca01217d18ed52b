"""Indexing, joining, extending, slicing, converting and creating arrays."""

from . import axes, convert, extending, indexing, joining, sequence, shape, slicing, sources
