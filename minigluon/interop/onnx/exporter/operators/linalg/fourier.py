"""Fourier transforms as products with a matrix of cosines and sines; count_sketch with a matrix of signs."""

import numpy as np

from ......ops.symbolic_dimensions import SymbolicDim
from ...table import translates
from ...values import UntranslatableError

__all__ = []


def _angles(length):
    if isinstance(length, SymbolicDim):
        raise UntranslatableError("the transform's length is left open")
    return 2 * np.pi * np.outer(np.arange(length), np.arange(length)) / length


@translates("_contrib_fft", note="as a matrix product")
def fft(g, op, x):
    angles = _angles(x.shape[-1])
    matrix = np.stack([np.cos(angles), -np.sin(angles)], -1).reshape(len(angles), -1)
    return g.MatMul(x, g.constant(matrix.astype(x.dtype)))


@translates("_contrib_ifft", note="as a matrix product")
def ifft(g, op, x):
    angles = _angles(x.shape[-1] // 2)
    matrix = np.stack([np.cos(angles), -np.sin(angles)], 1).reshape(-1, len(angles))
    return g.MatMul(x, g.constant(matrix.astype(x.dtype)))


@translates("_contrib_count_sketch")
def count_sketch(g, op, data, h, s):
    places = g.Max(g.Min(g.cast(h, np.int64), op.out_dim - 1), 0)
    rows = g.constant(np.arange(op.out_dim, dtype=np.int64).reshape(-1, 1))
    matrix = g.cast(g.Equal(rows, places), data.dtype) * s
    matrix.shape = (op.out_dim, data.shape[1])
    return g.MatMul(data, g.transpose(matrix, [1, 0]))
