"""The check that the arguments of a constructor or function are of the annotated kind: numbers, truth values, texts.

What is annotated as `Any` is not checked. `worded` turns Python's errors, in functions that call no code of a user,
into errors that name the function and its arguments.
"""

from __future__ import annotations

import functools
import inspect
import numbers
import reprlib
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..base import ArgumentError, MXNetError

__all__ = ["check_class", "check_function", "worded"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_PAIRS = ("tuple[int, int]", "tuple[float, float]")
_EXPECTED = {"int": "a number", "float": "a number", "bool": "True or False", "str": "a string",
             **dict.fromkeys(_PAIRS, "two numbers")}
_BARE = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def check_class(cls: type[Any], text_is_number: bool = False, but: tuple[str, ...] = ()) -> None:
    """Make the `__init__` of a class raise ArgumentError for arguments of another kind, before anything reads them.

    cls: the class; nothing happens if it has no `__init__` of its own. text_is_number: whether '2' may stand for 2.
    but: names of arguments that the class checks itself.
    """
    init = cls.__dict__.get("__init__")
    if init is not None:
        checked = _checked(init, lambda args: type(args[0]).__name__, text_is_number, but)
        setattr(cls, "__init__", checked)       # noqa: B010 - type checkers know that a class has another one


def check_function(function: _Function) -> _Function:
    """Decorate a function so that it raises ArgumentError for arguments of another kind than the annotated one.

    >>> from minigluon.diagnostics.argument_kinds import check_function
    >>> @check_function
    ... def every(period: "int"):
    ...     return period
    >>> every(2)
    2
    """
    return _checked(function, lambda args: function.__name__, False)


def _checked(function, name_of, text_is_number, but=()):
    parameters = inspect.signature(function).parameters
    kinds = {name: kind for name, p in parameters.items()
             if set(kind := str(p.annotation).split(" | ")) <= {*_EXPECTED, "None"} and name not in but}

    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for name, value in (*zip(parameters, args, strict=False), *kwargs.items()):
            if name in kinds and all(_is_other(kind, value, text_is_number) for kind in kinds[name]):
                expected = " or ".join(dict.fromkeys(_EXPECTED[kind] for kind in kinds[name] if kind != "None"))
                raise ArgumentError(f"{name_of(args)}: {name} is {value!r}, expected {expected}")
        return function(*args, **kwargs)
    return checked


def _is_other(kind, value, text_is_number):
    """Whether a value cannot be of this kind. Any object but an array has a truth value, and may name itself."""
    if kind == "None":
        return value is not None
    if kind in _PAIRS:
        return (isinstance(value, (str, bytes, dict)) or not np.iterable(value) or len(value) != 2
                or any(_is_other("float", number, False) for number in value))
    if hasattr(value, "shape") and np.ndim(value):
        return True
    if kind in ("bool", "str"):
        return False
    if isinstance(value, str) and text_is_number:
        try:
            float(value)
        except ValueError:
            return True
        return False
    return not (isinstance(value, numbers.Real) or hasattr(value, "__float__"))


def worded(function: _Function) -> _Function:
    """Decorate a function, or a method, so that what Python says of wrong arguments becomes an ArgumentError.

    Only for functions that call no code of a user: errors of that code must stay what they are.

    >>> from minigluon.diagnostics.argument_kinds import worded
    >>> @worded
    ... def half(number):
    ...     return number / 2
    >>> half(3)
    1.5
    """
    @functools.wraps(function)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except MXNetError:
            raise
        except _BARE as error:
            # A call with too few arguments ends here, with Python's error.
            given = inspect.signature(function).bind(*args, **kwargs).arguments
            who = type(given.pop("self")).__name__ if "self" in given else function.__name__
            told = ", ".join(f"{name}={_brief(value)}" for name, value in given.items())
            raise ArgumentError(f"{who}({told}): {error}") from error
    return guarded      # type: ignore[return-value]


def _brief(value):
    """A value in a few characters: an array by its shape."""
    shape = getattr(value, "shape", ())
    return f"<array {shape}>" if isinstance(shape, tuple) and shape else reprlib.repr(value)
