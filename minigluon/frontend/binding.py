"""The operator and the inputs of a Python call, such as `nd.relu(x)` or `x + 2`, for both namespaces.

    nd.FullyConnected(x, w, b, num_hidden=4)  ->  FullyConnected(num_hidden=4), [x, w, b]
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..ops.error_details import other_kind, passed_twice, too_many
from ..ops.op import Op

__all__ = ["Arithmetic", "bind", "require_inputs"]

IGNORED = ("name", "attr", "ctx", "num_args")       # keywords ignored by operators that have no such attributes


def bind(cls: Any, args: Any, kwargs: dict[str, Any], is_array: Callable[[Any], bool], attrs: Any = None) -> Any:
    """Return (operator, inputs) for a call. `is_array` distinguishes arrays (or symbols) from attributes.

    Positional arguments are the inputs in order, then the attributes in order; both may be passed by name. An input
    omitted at the end (such as a bias) is not in the list; one omitted in the middle is None. `attrs` is a dict to
    which the attributes are added as the caller wrote them, without defaults. Raises OpAttributeError for an unknown
    attribute, and CallError for an input that is not an array.
    """
    if cls.variadic:
        inputs, positional = _variadic(cls, args, kwargs, is_array)
    else:
        inputs, positional = list(args[:len(cls.arguments)]), args[len(cls.arguments):]
        for position, name in enumerate(cls.arguments):
            if name in kwargs:
                inputs += [None] * (position + 1 - len(inputs))
                inputs[position] = kwargs.pop(name)
    if len(positional) > len(cls.fields):
        raise too_many(cls, len(args))
    attributes = dict(zip(cls.fields, positional, strict=False))
    for name, value in kwargs.items():
        if name in attributes:
            raise passed_twice(cls, name)
        if name in cls.fields or name not in IGNORED:
            attributes[name] = value
    while inputs and inputs[-1] is None:
        inputs.pop()
    for name, value in zip(cls.arguments * (len(inputs) if cls.variadic else 1), inputs, strict=False):
        if value is not None and not is_array(value):
            raise other_kind(cls, name, value)
    if cls.variadic and "num_args" in cls.fields:
        attributes["num_args"] = len(inputs) // getattr(cls, "inputs_per_arg", 1)
    op = cls(**attributes)
    if attrs is not None:
        attrs.update({name: value for name, value in attributes.items() if name in cls.fields})
    if not cls.variadic and any(x is None for x in inputs):
        # `data_lengths=None` before label_lengths: neither required nor passed
        arguments = op.list_arguments()
        inputs = [x for name, x in zip(cls.arguments, inputs, strict=False) if x is not None or name in arguments]
    return op, inputs


def _variadic(cls, args, kwargs, is_array):
    if len(args) and isinstance(args[0], (list, tuple)):
        return list(args[0]), args[1:]
    if cls.arguments[0] in kwargs:
        return list(kwargs.pop(cls.arguments[0])), args
    count = next((i for i, a in enumerate(args) if not is_array(a)), len(args))
    return list(args[:count]), args[count:]


def require_inputs(op: Any, inputs: Any) -> None:
    """Raise MXNetError unless there is an array for every input that the operator's attributes require."""
    op.require_count(len(inputs), [i for i, x in enumerate(inputs) if x is None])


_MAX_NUMBERS = 10_000       # operators cached per row; if a program keeps using new numbers, the cache is cleared


@dataclass(frozen=True)
class Arithmetic:
    """One row: operators for two arrays, two symbols, array ∘ number (`scalar`), and number ∘ array (`reversed`)."""

    name: str
    array: Op
    symbol: Op
    scalar: type[Op]
    reversed: type[Op]
    numbers: Callable[[Any, Any], Any]                 # a Python function for number ∘ number
    _right: dict[Any, Op] = field(default_factory=dict[Any, Op])
    _left: dict[Any, Op] = field(default_factory=dict[Any, Op])

    def with_number(self, number: Any) -> Op:
        """Return the operator for array ∘ number."""
        op = self._right.get((number.__class__, number if number else str(number)))     # str tells 0.0 from -0.0
        return op or self._remember(self._right, self.scalar, number)

    def with_number_left(self, number: Any) -> Op:
        """Return the operator for number ∘ array."""
        op = self._left.get((number.__class__, number if number else str(number)))
        return op or self._remember(self._left, self.reversed, number)

    def _remember(self, memo: dict[Any, Op], cls: type[Op], number: Any) -> Op:
        if len(memo) >= _MAX_NUMBERS:
            memo.clear()
        op = cls(scalar=number)
        memo[number.__class__, number if number else str(number)] = op
        return op
