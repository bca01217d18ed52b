"""Kernels that index, join, cut, convert and create arrays."""

from . import axes, contrib, convert, indexing, joining, slicing, sources
