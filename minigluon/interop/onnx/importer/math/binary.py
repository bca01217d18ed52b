"""Broadcasting arithmetic and comparisons of two or more arrays."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from ..... import symbol as sym
from ..shaping import in_front
from ..table import operator
from ..values import same_length

if TYPE_CHECKING:
    from .....symbol import Symbol
    from ..call import Call


def _second(call):
    """Returns the second input.

    Until opset 6, an attribute specifies the axis of the first input at which the second begins.
    """
    b = call.data(1)
    if call.opset < 7 and call.attribute("broadcast", 0) and "axis" in call.attributes and not call.value(1).scalar:
        axis = call.axis(call.attribute("axis"))
        for _ in range(call.rank(0) - axis - call.rank(1)):
            b = sym.expand_dims(b, axis=-1)
    return b


def _pair(call, broadcast, with_number=None):
    """Combines two inputs; one known number becomes an attribute of the operator."""
    if with_number is not None:
        for index, other in ((1, 0), (0, 1)):
            number = call.number(index)
            known_rank = call.value(other).shape is not None
            if (number is not None and call.value(other).array is None and known_rank
                    and call.value(index).array.ndim <= call.rank(other)):
                if call.dtype(other).kind in "iu" and number != int(number):
                    break
                return with_number(call.data(0), number) if index == 1 else with_number(number, call.data(1))
    return broadcast(call.data(0), _second(call))


@operator("Add", elementwise=True)
def add(call: Call) -> Any:
    return _pair(call, sym.broadcast_add, lambda a, b: a + b)


@operator("Sub", elementwise=True)
def sub(call: Call) -> Any:
    return _pair(call, sym.broadcast_sub, lambda a, b: a - b)


@operator("Mul", elementwise=True)
def mul(call: Call) -> Any:
    return _pair(call, sym.broadcast_mul, lambda a, b: a * b)


@operator("Div", elementwise=True)
def div(call: Call) -> Any:
    """Divides; integer quotients are truncated, as in ONNX."""
    return _pair(call, sym.broadcast_div, (lambda a, b: a / b) if call.dtype().kind == "f" else None)


@operator("Mod", elementwise=True)
def mod(call: Call) -> Symbol:
    a, b = call.data(0), call.data(1)
    if not call.attribute("fmod", 0):
        remainder = sym.broadcast_mod(a, b)
        if call.dtype().kind != "f" or call.is_known(1):
            return remainder
        return remainder + sym.broadcast_div(a, b) * 0       # NaN where b is 0 or a is infinite
    return sym.broadcast_mul(sym.sign(a), sym.broadcast_mod(sym.abs(a), sym.abs(b)))


@operator("Pow", elementwise=True)
def power(call: Call) -> Any:
    a, number, dtype = call.data(0), call.number(1), call.dtype(0)
    if number is not None and dtype.kind == "f" and call.value(1).array.ndim <= call.rank(0):
        return sym.square(a) if number == 2 else a ** float(number)
    b = call.data(1)
    if dtype == call.dtype(1):
        return sym.broadcast_power(a, b)
    wide = "float64" if dtype.kind in "iu" else dtype.name
    return sym.cast(sym.broadcast_power(sym.cast(a, dtype=wide), sym.cast(b, dtype=wide)), dtype=dtype.name)


def _row(function):
    return lambda call: reduce(function, call.all_data()[1:], call.data(0))


for _name, _function in {"Max": sym.broadcast_maximum, "Min": sym.broadcast_minimum, "Sum": sym.broadcast_add}.items():
    operator(_name, elementwise=True)(_row(_function))


@operator("Mean", elementwise=True)
def mean(call: Call) -> Symbol:
    return reduce(sym.broadcast_add, call.all_data()[1:], call.data(0)) / len(call.inputs)


def _comparison(function):
    def compare(call):
        parts = call.all_data()
        if call.is_bool():
            parts = [sym.cast(part, dtype="uint8") for part in parts]
        return sym.cast(function(*parts), dtype="bool")
    return compare


for _name, _function in {
        "Equal": sym.broadcast_equal, "Less": sym.broadcast_lesser, "LessOrEqual": sym.broadcast_lesser_equal,
        "Greater": sym.broadcast_greater, "GreaterOrEqual": sym.broadcast_greater_equal,
        "And": sym.broadcast_logical_and, "Or": sym.broadcast_logical_or, "Xor": sym.broadcast_logical_xor}.items():
    operator(_name, elementwise=True)(_comparison(_function))


@operator("Where", elementwise=True)
def where(call: Call) -> Symbol:
    """Broadcasts all three to the shape that covers the other two or, if no shape does, by adding zeros."""
    parts = call.all_data()
    shapes = [call.value(index).shape for index in range(3)]
    widest = next((index for index in range(3) if _covers(shapes[index], shapes)), None)
    if widest is not None:
        return sym.where(*[_as_wide(call, part, index, parts[widest], shapes[widest])
                           for index, part in enumerate(parts)])
    dtype, is_bool = call.dtype(1), call.is_bool(1)
    zeros = [sym.cast(sym.zeros_like(part), dtype="uint8") for part in parts]
    everywhere = reduce(sym.broadcast_add, zeros)
    condition = sym.broadcast_add(sym.cast(parts[0], dtype="uint8"), everywhere)
    kind = "uint8" if is_bool else dtype.name
    a, b = (sym.broadcast_like(_of_rank(call, sym.cast(part, dtype=kind) if is_bool else part, index), everywhere)
            for index, part in ((1, parts[1]), (2, parts[2])))
    result = sym.where(condition, a, b)
    return sym.cast(result, dtype="bool") if is_bool else result


def _covers(shape, shapes):
    """Returns whether all shapes can be broadcast to this one."""
    return shape is not None and all(
        other is not None and len(other) <= len(shape) and all(
            same_length(n, 1) or same_length(n, wide)
            for n, wide in zip(other[::-1], shape[::-1], strict=False)) for other in shapes)


def _as_wide(call, symbol, index, like, shape):
    """Returns the symbol broadcast to the shape of `like`."""
    own = call.shape(index)
    if len(own) == len(shape) and all(map(same_length, own, shape)):
        return symbol
    is_bool = call.is_bool(index)
    result = sym.broadcast_like(_of_rank(call, sym.cast(symbol, dtype="uint8") if is_bool else symbol, index), like)
    return sym.cast(result, dtype="bool") if is_bool else result


def _of_rank(call, symbol, index):
    """Returns the symbol with leading axes of length 1, up to the highest rank of the inputs."""
    return in_front(symbol, max(max(call.rank(i), 1) for i in range(3)) - max(call.rank(index), 1))
