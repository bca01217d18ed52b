"""Functions of two operands, arrays or numbers, with NumPy's broadcasting and the types of `promotion.py`."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ...base import DTypeError
from ..promotion import Float
from ..table import function
from .common import as_float, as_type, dtype_of, is_number, promoted

__all__ = ["combined"]


def combined(F: Any, x1: Any, x2: Any) -> list[Any]:
    """Return two operands in their common type; a number remains a number, whose type is weak."""
    if is_number(x1):
        return [x1, _integers_if_bool(F, x2, x1)]
    if is_number(x2):
        return [_integers_if_bool(F, x1, x2), x2]
    return promoted(F, x1, x2)


def _integers_if_bool(F, x, number):
    """Return an array for arithmetic with a number; booleans become int64."""
    if isinstance(number, Float) and dtype_of(x).kind != "f":
        return as_type(F, x, "float64")
    return as_type(F, x, "int64") if dtype_of(x).kind == "b" else x


def _are_bool(*operands):
    return all(not is_number(x) and dtype_of(x).kind == "b" for x in operands)


@function("add")
def add(F, x1, x2, out=None):
    """Return x1 + x2. For booleans, this is `or`.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.add(np.array([[1], [2]]), np.array([10, 20]))
    array([[11., 21.],
           [12., 22.]])
    """
    if _are_bool(x1, x2):
        return F.broadcast_logical_or(x1, x2)
    return F.add(*combined(F, x1, x2))


@function("subtract")
def subtract(F, x1, x2, out=None):
    """Return x1 - x2. Raises DTypeError for two boolean arrays.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.subtract(np.array([[1], [2]]), np.array([1, 2]))
    array([[ 0., -1.],
           [ 1.,  0.]])
    """
    if _are_bool(x1, x2):
        raise DTypeError("np.subtract: booleans cannot be subtracted. Write x1 != x2, or convert them with "
                         ".astype('int64').")
    return F.subtract(*combined(F, x1, x2))


@function("multiply")
def multiply(F, x1, x2, out=None):
    """Return x1 * x2. For booleans, this is `and`.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.multiply(np.array([[1], [2]]), np.array([1, 2]))
    array([[1., 2.],
           [2., 4.]])
    """
    if _are_bool(x1, x2):
        return F.broadcast_logical_and(x1, x2)
    return F.multiply(*combined(F, x1, x2))


@function("divide", "true_divide")
def divide(F, x1, x2, out=None):
    """Return x1 / x2, which is float32 for integers.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.divide(np.array([1, 2], dtype="int32"), 4)
    array([0.25, 0.5 ])
    """
    if is_number(x1):
        return F.divide(x1, as_float(F, x2))
    if is_number(x2):
        return F.divide(as_float(F, x1), x2)
    x1, x2 = promoted(F, x1, x2)
    return F.divide(as_float(F, x1), as_float(F, x2))


@function("floor_divide")
def floor_divide(F, x1, x2, out=None):
    """Return the largest integers that are not greater than x1 / x2, in the common type. MXNet 1.9.1 does not have it.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.floor_divide(np.array([-7, 7]), 2)
    array([-4.,  3.])
    """
    x1, x2 = combined(F, x1, x2)
    rest = F.modulo(x1, x2)
    quotient = F.divide(F.subtract(x1, rest), x2)
    if dtype_of(rest).kind != "f":
        return quotient
    is_below = F.equal(F.abs(rest), onp.inf)        # a finite number and an infinity with the opposite sign
    down = F.floor(quotient)
    nearest = F.add(down, F.greater(F.subtract(quotient, down), 0.5))       # exact, whereas quotient + 0.5 is not
    return F.where(is_below, F.multiply(F.ones_like(rest), -1), nearest)


@function("mod", "remainder")
def mod(F, x1, x2, out=None):
    """Return the remainder of x1 / x2, with the sign of x2.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.mod(np.array([-7, 7]), 3)
    array([2., 1.])
    """
    return F.modulo(*combined(F, x1, x2))


@function("power")
def power(F, x1, x2, out=None):
    """Return x1 to the power of x2. Of booleans it is a boolean, as in MXNet.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.power(np.array([1, 2, 3]), 2)
    array([1., 4., 9.])
    """
    if _are_bool(x1, x2):
        return F.broadcast_logical_or(x1, F.logical_not(x2))
    return F.power(*combined(F, x1, x2))


@function("maximum")
def maximum(F, x1, x2, out=None):
    """Return the larger element of each pair.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.maximum(np.array([[1], [4]]), np.array([2, 3]))
    array([[2., 3.],
           [4., 4.]])
    """
    return F.maximum(*combined(F, x1, x2))


@function("minimum")
def minimum(F, x1, x2, out=None):
    """Return the smaller element of each pair.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type

    >>> np.minimum(np.array([[1], [4]]), np.array([2, 3]))
    array([[1., 1.],
           [2., 3.]])
    """
    return F.minimum(*combined(F, x1, x2))


@function("hypot")
def hypot(F, x1, x2, out=None):
    """Return the square root of x1² + x2².

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.hypot(np.array([3, 5]), np.array([4, 12]))
    array([ 5., 13.])
    """
    return F.hypot(*[x if is_number(x) else as_float(F, x) for x in combined(F, x1, x2)])


@function("copysign")
def copysign(F, x1, x2, out=None):
    """Return the absolute value of x1 with the sign of x2; 0 counts as positive, even -0.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.copysign(np.array([1, 2]), np.array([-3, 5]))
    array([-1.,  2.])
    """
    x1, x2 = [x if is_number(x) else as_float(F, x) for x in combined(F, x1, x2)]
    sign = (1 if x2 >= 0 else -1) if is_number(x2) else F.subtract(F.multiply(F.greater_equal(x2, 0), 2), 1)
    return F.multiply(abs(x1) if is_number(x1) else F.abs(x1), sign)


@function("ldexp")
def ldexp(F, x1, x2, out=None):
    """Return x1 · 2 to the power of x2.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.ldexp(np.array([1, 3]), np.array([3, -1]))
    array([8. , 1.5])
    """
    x1, x2 = [x if is_number(x) else as_float(F, x) for x in combined(F, x1, x2)]
    return F.multiply(x1, onp.exp2(float(x2)).item() if is_number(x2) else F.power(2, x2))


@function("logaddexp")
def logaddexp(F, x1, x2, out=None):
    """Return log(exp(x1) + exp(x2)), without overflow. MXNet 1.9.1 does not have it.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.logaddexp(np.array([0, 100]), np.array([0, 100])).round(2)
    array([  0.69, 100.69])
    """
    x1, x2 = [x if is_number(x) else as_float(F, x) for x in combined(F, x1, x2)]
    larger = F.BlockGrad(F.maximum(x1, x2))
    shift = F.where(F.equal(F.abs(larger), onp.inf), F.zeros_like(larger), larger)
    return F.add(F.log(F.add(F.exp(F.subtract(x1, shift)), F.exp(F.subtract(x2, shift)))), shift)


@function("arctan2")
def arctan2(F, x1, x2, out=None):
    """Return the angle of the point (x2, x1), between -π and π.

    x1, x2 (shapes that broadcast, any types, or numbers) | out with the common type, float32 for integers

    >>> np.arctan2(np.array([1, 0]), np.array([0, -1])).round(3)
    array([1.571, 3.142])
    """
    like = x2 if is_number(x1) else x1
    y, x = [F.multiply(F.ones_like(as_float(F, like)), v) if is_number(v) else as_float(F, v)
            for v in combined(F, x1, x2)]
    y, x = F.broadcast_mul(y, F.ones_like(x)), F.broadcast_mul(x, F.ones_like(y))      # which leaves -0
    are_infinite = F.equal(F.minimum(F.abs(y), F.abs(x)), onp.inf)
    y, x = [F.where(are_infinite, F.sign(v), v) for v in (y, x)]
    is_steep, ones = F.greater(F.abs(y), F.abs(x)), F.ones_like(x)
    side = F.subtract(1, F.multiply(_is_negative(F, y), 2))
    slope = F.arctan(F.divide(y, F.where(F.logical_or(is_steep, F.equal(x, 0)), ones, x)))
    slope = F.where(_is_negative(F, x), F.add(slope, F.multiply(side, onp.pi)), slope)
    steep = F.subtract(F.multiply(side, onp.pi / 2), F.arctan(F.divide(x, F.where(is_steep, y, ones))))
    return F.where(is_steep, steep, slope)


def _is_negative(F, x):
    """Return whether the sign is negative, including that of -0."""
    return F.lesser(F.add(x, F.reciprocal(x)), 0)
