"""`nd.add`, `nd.maximum`, `nd.equal`, ...: arrays or numbers on either side. And two that gradients call."""

from ..base import MXNetError
from ..context import parse
from ..ops import REGISTRY
from ..ops.arithmetic import ARITHMETIC
from ..ops.operators import as_number
from .ndarray import NDArray, invoke

__all__ = list(ARITHMETIC)


def _make(row):
    def function(lhs, rhs):
        left = None if lhs.__class__ is NDArray else as_number(lhs)
        right = None if rhs.__class__ is NDArray else as_number(rhs)
        if left is None and not isinstance(lhs, NDArray):
            raise _wrong(row, lhs)
        if right is None and not isinstance(rhs, NDArray):
            raise _wrong(row, rhs)
        if left is None:
            return invoke(row.array, (lhs, rhs)) if right is None else invoke(row.with_number(right), (lhs,))
        return invoke(row.with_number_left(left), (rhs,)) if right is None else row.numbers(left, right)

    function.__name__ = function.__qualname__ = row.name
    function.__doc__ = f"{type(row.array).__doc__}. Each side is an array or a number."
    function.__module__ = "minigluon.ndarray"
    return function


def _wrong(row, operand):
    return MXNetError(f"{row.name}: expected NDArrays or numbers, found {type(operand).__name__}. "
                      "Convert it with nd.array(...).")


globals().update({name: _make(row) for name, row in ARITHMETIC.items()})
_power = globals()["power"]


def power(base, exp):
    """base to the power of exp. Each is an array or a number."""
    return _power(base, exp)


def _copyto(data, out=None, source="", target=""):
    """data on the device `target`, or written to `out`: what the gradient of a copy between devices calls."""
    if out is not None:
        return data.copyto(out)
    return data.as_in_context(parse(target)) if target else data.copy()


_SUM_LIKE = REGISTRY["_sum_like"]()


def _sum_like(data, like):
    """data summed to the shape of like; data itself where nothing was stretched, which is the common case."""
    return data if data.buffer.shape == like.buffer.shape else invoke(_SUM_LIKE, (data, like))
