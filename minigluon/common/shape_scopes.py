"""`mx.set_np_shape`, `with mx.np_shape():` and `@mx.use_np_shape`, which turn NumPy's shape semantics on."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from .shape_semantics import is_np_shape, switch

__all__ = ["np_shape", "run_inside", "set_np_shape", "use_np_shape"]


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
    """Decorate a function, or all methods and properties of a class, so that they run with these semantics.

    Inherited methods and properties are included.

    func: the function or class.

    Raises TypeError for anything else.

    >>> @mx.use_np_shape
    ... def number():
    ...     return nd.ones(()).shape
    >>> number()
    ()
    """
    return run_inside(np_shape, func, "use_np_shape")


def run_inside(scope: Callable[[], AbstractContextManager[Any]], func: Any, name: str) -> Any:
    """Return a function that runs inside `scope()`, or the class with all its methods and properties, including
    inherited ones, changed to do so.

    scope: creates the context manager for each call.
    func: the function or class.
    name: the decorator's name, for messages.

    Raises TypeError for anything else.
    """
    if inspect.isclass(func):
        for member_name in dir(func):
            member = inspect.getattr_static(func, member_name)
            if isinstance(member, (types.FunctionType, staticmethod, classmethod, property)):
                setattr(func, member_name, _member(scope, member, name))
        return func
    if not callable(func):
        raise TypeError(f"{name} decorates functions and classes, found {type(func).__name__} {func!r}")

    @functools.wraps(func)
    def inside(*args, **kwargs):
        with scope():
            return func(*args, **kwargs)

    return inside


def _member(scope, member, name):
    """Return a method or property that runs inside the scope."""
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(run_inside(scope, member.__func__, name))
    if isinstance(member, property):
        parts = [part and run_inside(scope, part, name) for part in (member.fget, member.fset, member.fdel)]
        return property(*parts, member.__doc__)
    return run_inside(scope, member, name)
