"""Products of matrices in the last two axes."""

from . import products
