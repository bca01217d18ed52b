"""Functions written twice: plainly, to be read, and for speed. Here the fast one takes the plain one's place.

The plain one stays where it belongs. `with plain_paths():` puts it back, for a test that compares the two, or for a
debugger that is to show the code that people read.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

__all__ = ["fast", "plain_paths"]

Function = Callable[..., Any]

_replaced: list[tuple[Any, str, Function | None, Function]] = []        # owner, name, its own plain one, the fast one


def fast(owner: Any, name: str) -> Callable[[Function], Function]:
    """Decorator: run this function instead of `owner.name`, which computes the same. owner: a class or a module.

    It takes over name, docstring and signature; `inspect.getsource` shows the plain one.
    """
    def put(function: Function) -> Function:
        plain, own = getattr(owner, name), cast("dict[str, Function]", vars(owner))
        functools.update_wrapper(function, plain)
        _replaced.append((owner, name, own.get(name), function))
        setattr(owner, name, function)
        return function
    return put


@contextmanager
def plain_paths() -> Generator[None]:
    """`with plain_paths():` runs the plain functions, in all threads."""
    for owner, name, plain, _ in _replaced:
        if plain is None:
            delattr(owner, name)        # the plain one is inherited
        else:
            setattr(owner, name, plain)
    try:
        yield
    finally:
        for owner, name, _, function in _replaced:
            setattr(owner, name, function)
