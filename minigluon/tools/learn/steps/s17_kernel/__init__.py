"""Step 17: kernels in C."""
