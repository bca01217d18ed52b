"""Optimizer steps."""

from . import adam, ftrl, lamb, multi_tensor, rmsprop, sgd, sign
