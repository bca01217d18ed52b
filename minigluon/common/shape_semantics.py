"""`mx.np_shape`: how programs write shapes that are not known, or that have no elements. One switch for each thread.

| | unknown length | unknown shape | no elements | a number |
|---|---|---|---|---|
| off, as at first | 0 or -1 | `()` | 0, of arrays alone | `()`, of arrays alone; `x[0]` has shape `(1,)` |
| on | -1 | None | 0 | `()`, `x[0]` too |

Inside the package None is what is unknown, a length or a whole shape; `read` and `write` stand between.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

__all__ = ["is_np_shape", "read", "set_np_shape", "write"]

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
