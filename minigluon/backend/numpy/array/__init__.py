"""Indexing, joining, cutting, converting and making arrays."""

from . import axes, contrib, convert, indexing, joining, slicing, sources
