"""Creation of the functions in `nd` from the table of operators. `nd.X.op` is the operator's class."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from operator import is_
from typing import Any

from ..frontend.binding import bind, require_inputs
from ..frontend.signatures import presented
from ..providers import ask
from .creators import create_as_called
from .invoke import invoke
from .ndarray import NDArray

__all__ = ["make_function"]

_BIND_CACHE = 4096


def make_function(cls: Any, public_name: str | None = None) -> Callable[..., Any]:
    """Return the function `nd.<name>`: arrays first, then attributes; `out=` writes to an existing array."""
    memo = {}       # (number of arrays, the attributes as passed) -> operator
    inputs = len(cls.arguments)

    def function(*args, out=None, **kwargs):
        # For the common call, with arrays by position and attributes by name, the operator is in the memo.
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
            if op is not None:
                return invoke(op, args, out) if args else create_as_called(op, kwargs, out)
        return _call(cls, memo, args, kwargs, out)

    return presented(function, cls, public_name, "NDArray")


def _call(cls, memo, args, kwargs, out):
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
    except TypeError:
        op = None
    if op is not None:
        return invoke(op, args[:count], out) if count else create_as_called(op, kwargs, out)
    calls = getattr(args[0] if args else None, "_calls", None)
    if calls is not None:               # an array of mx.np
        return calls(_call, cls, memo, args, kwargs, out)
    op, inputs = bind(cls, args, dict(kwargs), lambda a: isinstance(a, NDArray))
    creates = not inputs and not cls.arguments
    if not creates:
        require_inputs(op, inputs)
    if len(inputs) == count and all(map(is_, inputs, args)):        # there are no arrays by name or of other classes
        with suppress(TypeError):
            if len(memo) > _BIND_CACHE:
                memo.clear()
            memo[key] = op
    if creates:
        return create_as_called(op, kwargs, out)
    if all(x.__class__ is NDArray for x in inputs):
        return invoke(op, inputs, out)
    return ask("nd.sparse").run_any(op, inputs, out)
