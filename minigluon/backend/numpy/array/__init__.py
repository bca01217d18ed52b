"""Kernels that index, join, slice, convert and create arrays."""

from . import axes, contrib, convert, indexing, joining, slicing, sources
