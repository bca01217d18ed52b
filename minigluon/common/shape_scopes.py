"""`mx.set_np_shape`, `with mx.np_shape():` and `@mx.use_np_shape`, which turn NumPy's shape semantics on."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from .shape_semantics import is_np_shape, switch

__all__ = ["np_shape", "set_np_shape", "use_np_shape"]


def set_np_shape(active: bool) -> bool:
    """Turn NumPy's shape semantics on or off for this thread. Returns the previous setting.

    active: whether to turn it on.

    >>> mx.set_np_shape(True), mx.set_np_shape(False)
    (False, True)
    """
    before = is_np_shape()
    switch.active = bool(active)
    return before


class np_shape:
    """Turn NumPy's shape semantics on for a `with` block, or off with `np_shape(False)`, then restore the setting.

    active: whether to turn it on.

    >>> with mx.np_shape():
    ...     mx.is_np_shape(), nd.ones(()).shape
    (True, ())
    >>> mx.is_np_shape()
    False
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> Any:
        self._before.append(set_np_shape(self._active))

    def __exit__(self, *exc_info: Any) -> Any:
        set_np_shape(self._before.pop())


def use_np_shape(func):
    """Decorate a function, or all (even inherited) methods and properties of a class, to run with these semantics.

    func: the function or class.

    Raises TypeError for anything else.

    >>> @mx.use_np_shape
    ... def number():
    ...     return nd.ones(()).shape
    >>> number()
    ()
    """
    if inspect.isclass(func):
        for name in dir(func):
            member = inspect.getattr_static(func, name)
            if isinstance(member, (types.FunctionType, staticmethod, classmethod, property)):
                setattr(func, name, _with_np_shape(member))
        return func
    if not callable(func):
        raise TypeError(f"use_np_shape decorates functions and classes, found {type(func).__name__} {func!r}")

    @functools.wraps(func)
    def with_np_shape(*args, **kwargs):
        with np_shape():
            return func(*args, **kwargs)

    return with_np_shape


def _with_np_shape(member):
    """Return a method or property that runs with the switch on."""
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(use_np_shape(member.__func__))
    if isinstance(member, property):
        parts = [part and use_np_shape(part) for part in (member.fget, member.fset, member.fdel)]
        return property(*parts, member.__doc__)
    return use_np_shape(member)
