"""Repetition along axes of length 1, and its adjoint."""

from ...table import translates

__all__ = []


@translates("broadcast_to", "broadcast_axis")
def broadcast(g, op, x):
    return g.expand(x, g.specs[0][0])


@translates("broadcast_like", "_stretch_like")
def broadcast_like(g, op, x, like):
    return g.expand(x, g.specs[0][0])


@translates("_sum_like")
def sum_like(g, op, data, like):
    extra = data.rank - like.rank
    axes = [*range(extra), *(extra + i for i, n in enumerate(like.shape) if n is not data.shape[extra + i] and n == 1)]
    return g.reshape(g.reduce("Sum", data, axes, keepdims=True), like.shape)
