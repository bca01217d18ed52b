"""The rows of the table, by what they do; importing this package enters all of them (see `table.py`)."""

from . import (
    arithmetic,
    editing,
    einsum,
    elementwise,
    filling,
    indexing,
    interpolation,
    joining,
    linalg,
    logic,
    ordering,
    products,
    quantiles,
    reduction,
    shape,
    statistics,
)

__all__ = ["arithmetic", "editing", "einsum", "elementwise", "filling", "indexing", "interpolation", "joining",
           "linalg", "logic", "ordering", "products", "quantiles", "reduction", "shape", "statistics"]
