"""Products and factors of matrices, and Fourier transforms."""

from . import factor, fourier, khatri_rao, parts, products, triangular
