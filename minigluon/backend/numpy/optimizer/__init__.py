"""Optimizer steps."""

from . import multi_tensor, update
