"""Functions written twice: once plainly, for readers, and once for speed. Here the fast version replaces the plain one.

The plain one stays in its module. `with plain_paths():` restores it, for a test that compares the two, or for a
debugger that should show the readable code.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

__all__ = ["fast", "plain_paths"]

Function = Callable[..., Any]

_replaced: list[tuple[Any, str, Function | None, Function]] = []    # owner, name, plain version, fast version


def fast(owner: Any, name: str) -> Callable[[Function], Function]:
    """Return a decorator for a faster function that replaces `owner.name`. owner: a class or module.

    The function inherits the name, docstring and signature; `inspect.getsource` shows the plain version.
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
    """Run the plain functions inside `with plain_paths():`, in all threads."""
    for owner, name, plain, _ in _replaced:
        if plain is None:
            delattr(owner, name)        # the plain version is inherited
        else:
            setattr(owner, name, plain)
    try:
        yield
    finally:
        for owner, name, _, function in _replaced:
            setattr(owner, name, function)
