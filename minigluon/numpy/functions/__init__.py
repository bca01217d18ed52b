"""The rows of the table, by what they do; importing this package enters all of them (see `table.py`)."""

from . import (
    arithmetic,
    elementwise,
    filling,
    indexing,
    joining,
    linalg,
    logic,
    ordering,
    products,
    reduction,
    shape,
    statistics,
)

__all__ = ["arithmetic", "elementwise", "filling", "indexing", "joining", "linalg", "logic", "ordering", "products",
           "reduction", "shape", "statistics"]
