"""`NameManager.current`, which older programs read and set."""

from __future__ import annotations

from typing import Any

from ..base import CallError
from ..diagnostics import strictness

__all__ = ["DeprecatedCurrent"]


class DeprecatedCurrent(type):
    """The metaclass of `NameManager`, which defines the property."""

    _in_force: Any          # this thread's state; its `manager` is the current one

    @property
    def current(cls) -> Any:
        """Return this thread's NameManager. Deprecated: use `with NameManager():`."""
        strictness.warn("NameManager.current is deprecated. Write `with NameManager():`.", DeprecationWarning)
        return cls._in_force.manager

    @current.setter
    def current(cls, manager: Any) -> None:
        if not isinstance(type(manager), DeprecatedCurrent):
            raise CallError(f"NameManager.current must be a NameManager, found {manager!r}")
        cls._in_force.manager = manager
