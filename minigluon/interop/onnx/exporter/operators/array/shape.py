"""Reshaping to the inferred shapes, including symbolic dimensions."""

from ...table import translates

__all__ = []


@translates("Reshape", "Flatten", "reshape_like")
def reshape(g, op, x, like=None):
    return g.reshape(x, g.specs[0][0])


@translates("expand_dims")
def expand_dims(g, op, x):
    return g.unsqueeze(x, op.axis % (x.rank + 1))


@translates("squeeze")
def squeeze(g, op, x):
    return g.reshape(x, g.specs[0][0])
