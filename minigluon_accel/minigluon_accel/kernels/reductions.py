"""Reductions over axes, and arrays stretched along axes."""
