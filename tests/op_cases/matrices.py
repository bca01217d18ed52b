"""Matrices that several families of `linalg` take."""

import numpy as np


def tri(*shape, lower=True):
    """Well conditioned matrices of which one triangle counts; the other holds numbers that must not matter."""
    return lambda rng: rng.uniform(-0.5, 0.5, shape) + 2 * np.eye(shape[-1])


def t(a):
    return a.swapaxes(-1, -2)
