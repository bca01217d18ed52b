"""Elementwise operators and reductions."""
