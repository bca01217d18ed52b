"""Matrix products of attention, computed on interleaved projections (length, batch, heads * parts * size)."""

import math

from ...table import translates

__all__ = []


def _part(g, x, heads, parts, which):
    """Returns one part (such as the queries) of each head: (batch, heads, length, size)."""
    length, batch, width = x.shape
    split = g.reshape(x, (length, batch, heads, parts, width // (heads * parts)))
    return g.transpose(g.item(split, which, 3), [1, 2, 0, 3])


@translates("_contrib_interleaved_matmul_selfatt_qk", "_contrib_interleaved_matmul_encdec_qk")
def scores(g, op, *inputs):
    query, key = (_part(g, inputs[i], op.heads, op.parts[i], which) for i, which in (op.query, op.key))
    product = g.MatMul(query / math.sqrt(query.shape[-1]), g.transpose(key, [0, 1, 3, 2]))
    product.shape = (*query.shape[:3], key.shape[2])
    return g.reshape(product, g.specs[0][0])


@translates("_contrib_interleaved_matmul_selfatt_valatt", "_contrib_interleaved_matmul_encdec_valatt")
def mixture(g, op, projections, attention):
    value = _part(g, projections, op.heads, op.parts[0], op.value)
    batch, heads, length, size = value.shape
    rows = attention.shape[1]
    weights = g.reshape(attention, (batch, heads, rows, length))
    mixed = g.MatMul(weights, value)
    mixed.shape = (batch, heads, rows, size)
    return g.reshape(g.transpose(mixed, [2, 0, 1, 3]), g.specs[0][0])
