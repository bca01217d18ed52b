"""Linear algebra: sums over named axes, determinants, Fourier transforms as matrix products."""

from . import einsum, fourier, matrices
