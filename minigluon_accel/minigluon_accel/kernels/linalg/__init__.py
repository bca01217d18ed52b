"""Linear algebra."""

from . import products
