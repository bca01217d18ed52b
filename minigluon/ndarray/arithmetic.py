"""`nd.add`, `nd.maximum`, `nd.equal`, ..., whose operands are arrays or numbers, and three functions for gradients."""

from __future__ import annotations

from typing import Any

from ..base import MXNetError
from ..context import parse
from ..frontend.arithmetic_table import ARITHMETIC, doc_of
from ..frontend.operators import as_number
from ..ops import REGISTRY
from .imperative import invoke
from .input_errors import array_error
from .ndarray import NDArray
from .register import make_function
from .sparse import rows_gradient, run_any

__all__ = list(ARITHMETIC)


def _make(row):
    def function(lhs, rhs):
        left = None if lhs.__class__ is NDArray else as_number(lhs)
        right = None if rhs.__class__ is NDArray else as_number(rhs)
        if left is None and lhs.__class__ is not NDArray or right is None and rhs.__class__ is not NDArray:
            return _with_sparse(row, lhs, rhs, left, right)
        if left is None:
            return invoke(row.array, (lhs, rhs)) if right is None else invoke(row.with_number(right), (lhs,))
        return invoke(row.with_number_left(left), (rhs,)) if right is None else row.numbers(left, right)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = doc_of(row, "an array", "nd.{name}(nd.array({lhs}), {number})")
    function.__module__ = "minigluon.ndarray"
    return function


def _with_sparse(row, lhs, rhs, left, right):
    """Computes the result if one side is a sparse array. left, right: whether that side is a number."""
    for operand, number in ((lhs, left), (rhs, right)):
        if number is None and not isinstance(operand, NDArray):
            raise _wrong(row, operand)
    if left is None:
        return run_any(row.array, (lhs, rhs)) if right is None else run_any(row.with_number(right), (lhs,))
    return run_any(row.with_number_left(left), (rhs,))


def _wrong(row, operand):
    return MXNetError(f"{row.name}: expected NDArrays or numbers, found {type(operand).__name__}. "
                      "Convert it with nd.array(...).")


globals().update({name: _make(row) for name, row in ARITHMETIC.items()})
_power = globals()["power"]


def power(base: Any, exp: Any) -> NDArray:
    """Returns base to the power of exp. Both may be arrays or numbers.

    >>> print(nd.power(nd.array([2, 3]), 2).asnumpy())
    [4. 9.]
    """
    return _power(base, exp)


_dense_embedding_grad = make_function(REGISTRY["_Embedding_grad"])
_COPYTO, _SUM_LIKE = REGISTRY["_copyto"](), REGISTRY["_sum_like"]()


def _copyto(data: Any, out: Any = None, source: str = "", target: str = "") -> Any:
    """Copies data to the device `target`, or to `out`; the gradient of a copy between devices uses it."""
    if not isinstance(data, NDArray):
        raise array_error(_COPYTO, [data])
    if out is not None:
        return data.copyto(out)
    device = parse(target)
    return data.as_in_context(device) if target else data.copy()


def _Embedding_grad(grad: Any, data: Any, weight: Any, sparse_grad: bool = False, **attributes: Any) -> Any:
    """Returns the gradient of Embedding's weight: row_sparse with sparse_grad=True or for a row_sparse weight."""
    inputs = [grad, data, weight]
    if weight.__class__ is NDArray and not sparse_grad or not all(isinstance(x, NDArray) for x in inputs):
        return _dense_embedding_grad(*inputs, **attributes)
    op = REGISTRY["_Embedding_grad"](**attributes)
    return rows_gradient(*inputs, op.input_dim, op.output_dim, op.dtype)


def _sum_like(data: Any, like: Any) -> Any:
    """Returns data summed to the shape of like, or data itself in the common case that nothing was stretched."""
    if not (isinstance(data, NDArray) and isinstance(like, NDArray)):
        raise array_error(_SUM_LIKE, [data, like])
    return data if data.buffer.shape == like.buffer.shape else run_any(_SUM_LIKE, (data, like))
