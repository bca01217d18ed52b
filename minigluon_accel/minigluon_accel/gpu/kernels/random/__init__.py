"""Random numbers and samples, and densities."""
