"""Matrix products, matrix factorizations, and Fourier transforms."""

from . import products
