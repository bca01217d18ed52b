"""Extracting and writing diagonals and triangles of matrices, by flat indices."""

import numpy as np

from ...table import translates
from ..array.slicing import diagonal

__all__ = []


@translates("_linalg_extractdiag")
def extractdiag(g, op, a):
    return diagonal(g, a, op.offset, g.specs[0][0])


@translates("_linalg_sumlogdiag")
def sumlogdiag(g, op, a):
    diag = diagonal(g, a, 0, a.shape[:-1])
    diag.shape = a.shape[:-1]
    return g.reshape(g.reduce("Sum", g.Log(diag), [a.rank - 2]), g.specs[0][0])


@translates("_linalg_extracttrian")
def extracttrian(g, op, a):
    side = a.shape[-1]
    rows, columns = op.indices(side)
    flat = g.reshape(a, (*a.shape[:-2], side * side))
    return g.Gather(flat, g.constant((rows * side + columns).astype(np.int64)), axis=a.rank - 2)


@translates("_linalg_makediag", "_linalg_maketrian")
def make(g, op, a):
    """Fills the matrices with elements of the vector, and the rest with a zero that is appended to the vector."""
    side, count = g.specs[0][0][-1], a.shape[-1]
    if op.name == "_linalg_makediag":
        places = np.arange(count)
        rows, columns = places + max(-op.offset, 0), places + max(op.offset, 0)
    else:
        rows, columns = op.indices(side)
    source = np.full((side, side), count, np.int64)
    source[rows, columns] = np.arange(count)
    padded = g.Pad(a, g.ints(*[0] * (2 * a.rank - 1), 1), shape=(*a.shape[:-1], count + 1))
    return g.Gather(padded, g.constant(source), axis=a.rank - 1)
