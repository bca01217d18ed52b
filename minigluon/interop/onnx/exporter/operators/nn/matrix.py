"""Matrix products: FullyConnected, dot."""

from ...helpers import size_of
from ...table import translates

__all__ = []


@translates("FullyConnected")
def fully_connected(g, op, data, weight, bias=None):
    """Writes Gemm, or MatMul and Add if data keeps its leading axes."""
    if op.flatten or data.rank == 2:
        x = data if data.rank == 2 else g.Flatten(data, axis=1, shape=(data.shape[0], size_of(data.shape[1:])))
        return g.Gemm(x, weight, bias, transB=1)
    product = g.MatMul(data, g.transpose(weight, [1, 0]))
    return product if bias is None else product + bias


@translates("_fully_connected")
def fully_connected_without_bias(g, op, data, weight):
    return fully_connected(g, op, data, weight)


@translates("dot")
def dot(g, op, lhs, rhs):
    """Contracts the last axis of lhs with the first axis of rhs, both reshaped to matrices."""
    a = g.transpose(lhs, [*range(1, lhs.rank), 0]) if op.transpose_a else lhs
    b = g.transpose(rhs, [rhs.rank - 1, *range(rhs.rank - 1)]) if op.transpose_b else rhs
    if a.rank == b.rank == 2:
        return g.MatMul(a, b)
    inner = a.shape[-1]
    product = g.MatMul(g.reshape(a, (size_of(a.shape[:-1]), inner)), g.reshape(b, (inner, size_of(b.shape[1:]))))
    product.shape = (size_of(a.shape[:-1]), size_of(b.shape[1:]))
    return g.reshape(product, g.specs[0][0])
