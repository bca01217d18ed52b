"""Linear algebra: sums over named axes, determinants, Fourier transforms as products of matrices."""

from . import einsum, fourier, matrices
