"""`mx.np_shape`: how programs write shapes that are not known, or that have no elements. One switch for each thread.

| | unknown length | unknown shape | no elements | a number |
|---|---|---|---|---|
| off, as at first | 0 or -1 | `()` | 0, of arrays alone | `()`, of arrays alone; `x[0]` has shape `(1,)` |
| on | -1 | None | 0 | `()`, `x[0]` too |

Inside the package None is what is unknown, a length or a whole shape; `read` and `write` stand between.
"""

from __future__ import annotations

import functools
import inspect
import threading
import types
from collections.abc import Sequence
from typing import Any

__all__ = ["is_np_shape", "np_shape", "read", "set_np_shape", "use_np_shape", "write"]

_switch = threading.local()


def is_np_shape() -> bool:
    """Is 0 a length and () the shape of a number, with -1 and None for what is unknown?

    >>> mx.is_np_shape()
    False
    """
    return getattr(_switch, "active", False)


def set_np_shape(active: bool) -> bool:
    """Turn it on or off for this thread; returns what it was.

    active: on or off.

    >>> mx.set_np_shape(True), mx.set_np_shape(False)
    (False, True)
    """
    before = is_np_shape()
    _switch.active = bool(active)
    return before


class np_shape:
    """`with np_shape():` turns it on for a block, `with np_shape(False):` off; afterwards it is as it was.

    active: on or off.

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


def use_np_shape(func: Any) -> Any:
    """A decorator: the function, or all methods and properties of a class, inherited ones too, run with it on.

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
    """A method or property that runs with the switch on."""
    if isinstance(member, (staticmethod, classmethod)):
        return type(member)(use_np_shape(member.__func__))
    if isinstance(member, property):
        parts = [part and use_np_shape(part) for part in (member.fget, member.fset, member.fdel)]
        return property(*parts, member.__doc__)
    return use_np_shape(member)


def read(shape: Sequence[int | None] | None) -> tuple[int | None, ...] | None:
    """A shape as the program writes it, with None for what is not known. None itself is taken for it, too."""
    if shape is None:
        return None
    if is_np_shape():
        return tuple([n if n is not None and n >= 0 else None for n in shape])
    return tuple([n if n is not None and n > 0 else None for n in shape]) or None


def write(shape: tuple[int | None, ...] | None) -> tuple[int, ...] | None:
    """A shape as the program reads it: `read` in the other direction."""
    active = is_np_shape()
    if shape is None:
        return None if active else ()
    return tuple([(-1 if active else 0) if n is None else n for n in shape])
