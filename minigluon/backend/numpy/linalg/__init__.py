"""Products of matrices, which are stored in the last two axes."""

from . import products
