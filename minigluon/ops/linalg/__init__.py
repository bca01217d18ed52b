"""Products and factors of matrices, Fourier transforms."""

from . import factor, fourier, khatri_rao, parts, products, triangular
