"""Random numbers, samples and densities."""
