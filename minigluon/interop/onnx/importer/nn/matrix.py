"""Matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..quantized.wholes import dequantized_product, multiplied
from ..shaping import in_front
from ..table import operator
from ..values import is_static

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


@operator("Gemm")
def gemm(call: Call) -> Any:
    whole = dequantized_product(call, multiplied) if _is_layer(call) else None
    if whole is not None:
        return whole
    a, b = call.data(0), call.data(1)
    alpha, beta = call.attribute("alpha", 1.0), call.attribute("beta", 1.0)
    trans_a, trans_b = (bool(call.attribute(name, 0)) for name in ("transA", "transB"))
    plain = alpha == 1 and (beta == 1 or not call.has(2)) and trans_b and not trans_a
    shape = call.value(1).shape
    fits = not call.has(2) or (call.value(2).shape == (shape[0],) if shape else False)
    if plain and fits and is_static(shape):
        bias = [call.data(2)] if call.has(2) else []
        return sym.FullyConnected(a, b, *bias, num_hidden=int(shape[0]), no_bias=not bias, flatten=False)
    out = sym.dot(a, b, transpose_a=trans_a, transpose_b=trans_b)
    if alpha != 1:
        out = out * alpha
    if call.has(2):
        c = call.data(2)
        out = sym.broadcast_add(out, c if beta == 1 else c * beta)
    return out


def _is_layer(call):
    """Returns whether nothing is scaled, data are not transposed, and the bias is a vector."""
    return (call.attribute("alpha", 1.0) == 1 and not call.attribute("transA", 0)
            and (not call.has(2) or (call.attribute("beta", 1.0) == 1 and call.rank(2) == 1)))


@operator("MatMul")
def matmul(call: Call) -> Symbol:
    whole = dequantized_product(call, multiplied)
    return whole if whole is not None else product(call, call.data(0), call.data(1))


def product(call: Call, a: Any, b: Any) -> Symbol:
    """Returns NumPy's matmul of the first two inputs, which are passed unchanged or converted."""
    left, right = call.shape(0), call.shape(1)
    if len(left) == 1 and len(right) == 1:
        return call.scalar(sym.sum(a * b, axis=0))
    if len(right) == 1:
        return sym.dot(a, b)
    if len(right) == 2 and len(left) >= 2:
        return sym.dot(a, b)
    if len(left) == 1:
        a, left = sym.expand_dims(a, axis=0), (1, *left)
        return sym.squeeze(_batched(call, a, b, left, right), axis=len(right) - 2)
    return _batched(call, a, b, left, right)


def _batched(call, a, b, left, right):
    rank = max(len(left), len(right))
    a, b = in_front(a, rank - len(left)), in_front(b, rank - len(right))
    left, right = ((1,) * (rank - len(shape)) + tuple(shape) for shape in (left, right))
    for axis in range(rank - 2):
        if _is_one(left[axis]) and not _is_one(right[axis]):
            a = sym.broadcast_like(a, b, lhs_axes=(axis,), rhs_axes=(axis,))
        elif _is_one(right[axis]) and not _is_one(left[axis]):
            b = sym.broadcast_like(b, a, lhs_axes=(axis,), rhs_axes=(axis,))
    multiply = sym.batch_dot if rank == 3 else sym.linalg.gemm2
    if call.dtype().name in ("float32", "float64"):
        return multiply(a, b)
    wide = "float64" if call.dtype().kind in "iu" else "float32"      # batch_dot supports two dtypes
    return sym.cast(multiply(sym.cast(a, dtype=wide), sym.cast(b, dtype=wide)), dtype=call.dtype().name)


def _is_one(n):
    return isinstance(n, int) and n == 1
