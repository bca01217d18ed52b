"""Indexing, moving and making arrays."""

from . import indexing, movement, sources
