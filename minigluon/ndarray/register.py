"""Calls to operators on arrays: `nd`'s functions, created from the table of operators, and `x + y`, `x * 2`, `-x`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import suppress
from marshal import dumps
from operator import is_
from typing import Any

from ..common.nest import flatten
from ..frontend.binding import Arithmetic, bind, require_inputs
from ..frontend.operators import as_number
from ..frontend.signatures import presented
from ..ops import REGISTRY
from ..ops.op import Op
from ..providers import ask
from .creators import create_as_called
from .imperative import invoke
from .input_errors import with_other
from .ndarray import NDArray, method

__all__ = ["call", "make_function", "operator_of"]

_BIND_CACHE = 4096


def make_function(cls: Any, public_name: str | None = None) -> Callable[..., Any]:
    """Return the function `nd.<name>`: arrays first, then attributes; `out=` writes to an existing array."""
    memo: dict[Any, Any] = {}       # (number of arrays, the attributes as passed) -> operator; () -> see `call`
    inputs = len(cls.arguments)

    def function(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        # For the common call, with arrays passed by position and attributes by name, the memo contains the operator.
        if args and args[-1] is None and len(args) <= inputs:       # an omitted bias
            args = args[:-1]
        for a in args:
            if a.__class__ is not NDArray:
                break
        else:
            try:
                op = memo.get((len(args), *kwargs, *kwargs.values()))    # flat, because a tuple per item costs more
            except TypeError:               # a list or another unhashable attribute
                op = None
            if op:
                return invoke(op, args, out) if args else create_as_called(op, kwargs, out)
        return call(cls, memo, args, kwargs, out)

    return presented(function, cls, public_name, "NDArray")


def call(cls: Any, memo: dict[Any, Any], args: Any, kwargs: dict[str, Any], out: Any) -> Any:
    """Handle all other calls: attributes by position, arrays by name or of other classes, no inputs, first calls."""
    count = 0
    for a in args:
        if a.__class__ is not NDArray:
            break
        count += 1
    key = (count, *kwargs, *kwargs.values()) if count == len(args) else (
        count, args[count:], *kwargs, *kwargs.values())
    try:
        op = memo.get(key)
        if op == ():                    # 0.0 equals -0.0, but their bytes differ
            op = memo.get((key, dumps(key, 2)))
    except (TypeError, ValueError):
        op = None
    if op is not None:
        return invoke(op, args[:count], out) if count else create_as_called(op, kwargs, out)
    calls = getattr(args[0] if args else None, "_calls", None)
    if calls is not None:               # an array of mx.np
        return calls(call, cls, memo, args, kwargs, out)
    written: dict[str, Any] = {}
    op, inputs = bind(cls, args, dict(kwargs), lambda a: isinstance(a, NDArray), written)
    creates = not inputs and not cls.arguments
    if not creates:
        require_inputs(op, inputs)
    if len(inputs) == count and all(map(is_, inputs, args)):        # no array is passed by name or has another class
        with suppress(TypeError, ValueError):
            if len(memo) > _BIND_CACHE:
                memo.clear()
            if any(x.__class__ is float and x == 0 for x in flatten([op.__dict__[name] for name in written])[0]):
                memo[key, dumps(key, 2)], memo[key] = op, ()
            else:
                memo[key] = op
    if creates:
        return create_as_called(op, kwargs, out)
    if all(x.__class__ is NDArray for x in inputs):
        return invoke(op, inputs, out)
    return ask("nd.sparse").run_any(op, inputs, out)


_NUMBERS = {int, float}         # the common types; checking for `numbers.Real` takes longer than NumPy's addition


@method
def _apply(self: NDArray, row: Arithmetic, other: Any, out: Any = None) -> Any:
    """Compute self ∘ other for `Operators`."""
    if other.__class__ is NDArray:
        return invoke(row.array, (self, other), out)
    number = other if other.__class__ in _NUMBERS else as_number(other)
    return with_other(row, self, other, out) if number is None else invoke(row.with_number(number), (self,), out)


@method
def _apply_left(self: NDArray, row: Arithmetic, other: Any) -> Any:
    number = as_number(other)
    return with_other(row, self, other) if number is None else invoke(row.with_number_left(number), (self,))


@method
def _product(self: NDArray, other: NDArray) -> NDArray:
    if self.ndim <= 2 and other.ndim <= 2:
        return ask("nd").dot(self, other)
    return ask("nd").linalg_gemm2(self, other)


@method
def __neg__(self: NDArray) -> NDArray:
    return invoke(operator_of("negative"), (self,))


@method
def __abs__(self: NDArray) -> NDArray:
    return invoke(operator_of("abs"), (self,))


@functools.lru_cache(4096)
def operator_of(name: str, *axis: Any) -> Op:
    """Return an operator without attributes or with only an axis. Creating an operator takes longer than using it."""
    return REGISTRY[name](**dict(zip(("axis",), axis, strict=False)))
