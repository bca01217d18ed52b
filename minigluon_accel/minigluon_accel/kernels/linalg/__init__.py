"""Linear algebra."""

from . import products, triangular
