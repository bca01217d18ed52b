"""Products of matrices, each of which is stored in an array's last two axes."""

from . import products
