"""The rows of the table, grouped by what they do; importing this package adds all of them (see `table.py`)."""

from . import (
    arithmetic,
    draws,
    editing,
    einsum,
    elementwise,
    extension,
    filling,
    indexing,
    interpolation,
    joining,
    linalg,
    logic,
    nan,
    ordering,
    products,
    quantiles,
    reduction,
    shape,
    sources,
    statistics,
)

__all__ = ["arithmetic", "draws", "editing", "einsum", "elementwise", "extension", "filling", "indexing",
           "interpolation", "joining", "linalg", "logic", "nan", "ordering", "products", "quantiles", "reduction",
           "shape", "sources", "statistics"]
