"""`mx.engine`: MXNet's bulk size: the number of operators per engine task. It has no effect here, because operators run
when called.

To run many operators in one call, use `hybridize()`.
"""

from __future__ import annotations

from typing import Any

from ..base import ArgumentError, integer_types

__all__ = ["bulk", "set_bulk_size"]

_size = 0


def set_bulk_size(size: Any) -> int:
    """Set the number of operators and return the previous number.

    size: the number.

    >>> before = mx.engine.set_bulk_size(10)
    >>> mx.engine.set_bulk_size(before)
    10
    """
    global _size
    if not isinstance(size, integer_types) or size < 0:
        raise ArgumentError(f"set_bulk_size: size is {size!r}, expected a number of operators, 0 or more")
    before, _size = _size, size
    return before


class bulk:
    """Context manager that sets the number of operators to size and restores it afterwards.

    >>> with mx.engine.bulk(10):
    ...     y = nd.ones((2,)) + 1
    """

    def __init__(self, size: Any) -> None:
        self._inside = size

    def __enter__(self) -> Any:
        self._outside = set_bulk_size(self._inside)
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        set_bulk_size(self._outside)
