"""Matrix products and factorizations, Fourier transforms."""
