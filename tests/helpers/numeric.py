"""Numbers, and gradients by differences."""

import numpy as np


def numbers(shape, dtype, seed=0):
    """Normal ones, or whole ones below 100."""
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def numeric_gradient(f, arrays, index, eps=1e-5):
    """Central differences of the scalar f for one input, element by element, in float64."""
    x = arrays[index]
    grad = np.zeros_like(x)
    for i in np.ndindex(*x.shape):
        kept = x[i]
        x[i] = kept + eps
        above = f(arrays)
        x[i] = kept - eps
        below = f(arrays)
        x[i] = kept
        grad[i] = (above - below) / (2 * eps)
    return grad
