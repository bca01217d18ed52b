"""Resizing of images with a small matrix along each axis, as in the operators."""

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates
from ...values import UntranslatableError

__all__ = []


@translates("_contrib_BilinearResize2D")
def bilinear_resize(g, op, data, like=None):
    height, width = data.shape[2:]
    rows, columns = g.specs[0][0][2:]
    if any(isinstance(n, SymbolicDim) for n in (height, width, rows, columns)):
        raise UntranslatableError("the image's size is left open")
    down, across = _matrix(op, height, rows, data.dtype), _matrix(op, width, columns, data.dtype)
    return g.MatMul(g.MatMul(g.constant(down), data), g.constant(across.T))


def _matrix(op, old, new, dtype):
    """Returns the matrix (new, old) that interpolates along one axis."""
    low, high, weight = op.taps(old, new, np.dtype(np.float32))
    matrix, places = np.zeros((new, old), np.float64), np.arange(new)
    np.add.at(matrix, (places, low), 1 - weight)
    np.add.at(matrix, (places, high), weight)
    return matrix.astype(dtype)
