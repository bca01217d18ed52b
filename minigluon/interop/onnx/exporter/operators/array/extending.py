"""tile, repeat, Pad."""

import numpy as np

from ...helpers import size_of
from ...table import translates

__all__ = []


@translates("tile")
def tile(g, op, x):
    reps = tuple(op.reps)
    shape = (*(1,) * (len(reps) - x.rank), *x.shape)
    reps = (*(1,) * (len(shape) - len(reps)), *reps)
    return g.Tile(g.reshape(x, shape), g.sizes(reps))


@translates("repeat")
def repeat(g, op, x):
    """Inserts an axis after the one whose elements are repeated, and expands the new axis."""
    if op.axis is None:
        x, axis = g.reshape(x, (size_of(x.shape),)), 0
    else:
        axis = op.axis % x.rank
    wide = g.unsqueeze(x, axis + 1)
    stretched = g.expand(wide, (*x.shape[:axis + 1], op.repeats, *x.shape[axis + 1:]))
    return g.reshape(stretched, g.specs[0][0])


@translates("Pad")
def pad(g, op, x):
    before, behind = op.pad_width[::2], op.pad_width[1::2]
    value = g.constant(np.array(op.constant_value, x.dtype)) if op.mode == "constant" else None
    return g.Pad(x, g.sizes((*before, *behind)), value, mode=op.mode)
