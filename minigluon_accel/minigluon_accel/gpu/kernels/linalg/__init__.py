"""Products and factors of matrices, Fourier transforms."""
