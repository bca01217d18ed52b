"""Matrix products, matrix factorizations, and Fourier transforms."""

from . import factor, fourier, khatri_rao, parts, products, triangular
