"""Optimizer steps."""

from . import final_gradients, multi_tensor, update
