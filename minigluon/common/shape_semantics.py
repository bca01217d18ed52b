"""`mx.np_shape`: the notation for unknown shapes and for shapes without elements. There is one switch per thread.

| | unknown length | unknown shape | no elements | a number |
|---|---|---|---|---|
| | off (default) | 0 or -1 | `()` | 0, only for arrays | `()`, only for arrays; `x[0]` has shape `(1,)` |
| on | -1 | None | 0 | `()`, also for `x[0]` |

Inside the package, None stands for an unknown length or an unknown shape; `read` and `write` convert between the forms.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

__all__ = ["is_np_shape", "read", "switch", "write"]

switch = threading.local()


def is_np_shape() -> bool:
    """Return whether 0 is a length and () the shape of a scalar, with -1 and None for unknown lengths and shapes.

    >>> mx.is_np_shape()
    False
    """
    return getattr(switch, "active", False)


def read(shape: Sequence[int | None] | None) -> tuple[int | None, ...] | None:
    """Convert a shape from the program's form, with None for unknown values. None itself is also accepted."""
    if shape is None:
        return None
    if is_np_shape():
        return tuple([n if n is not None and n >= 0 else None for n in shape])
    return tuple([n if n is not None and n > 0 else None for n in shape]) or None


def write(shape: tuple[int | None, ...] | None) -> tuple[int, ...] | None:
    """Convert a shape to the program's form: the inverse of `read`."""
    active = is_np_shape()
    if shape is None:
        return None if active else ()
    return tuple([(-1 if active else 0) if n is None else n for n in shape])
