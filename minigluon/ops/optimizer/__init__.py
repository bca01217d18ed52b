"""Optimizer steps, for one weight or several weights at a time."""

from . import adagrad, adam, final_gradients, ftrl, lamb, multi_tensor, rmsprop, sgd, sign, update
