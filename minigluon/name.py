"""Names for objects that the user did not name: 'dense0', 'fullyconnected3'."""

from __future__ import annotations

import threading
from typing import Any

from .common.deprecated_current import DeprecatedCurrent

__all__ = ["NameManager", "Prefix"]


class _Current(threading.local):
    def __init__(self) -> None:
        self.manager = NameManager()


class NameManager(metaclass=DeprecatedCurrent):
    """Counts each hint: 'dense' becomes 'dense0', 'dense1', ... `with NameManager():` starts new counts.

    >>> with mx.name.NameManager():
    ...     nn.Dense(2).name, nn.Dense(2).name
    ('dense0', 'dense1')
    >>> names = mx.name.NameManager()
    >>> names.get(None, "dense"), names.get("mine", "dense"), names.get(None, "dense")
    ('dense0', 'mine', 'dense1')
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._outer: list[NameManager] = []                # the previous manager for each `with` block that it is in

    def get(self, name: str | None, hint: str) -> str:
        """Return the user's name or, if there is none, the hint and its count."""
        if name:
            return name
        count = self._counts.get(hint, 0)
        self._counts[hint] = count + 1
        return f"{hint}{count}"

    def __enter__(self) -> Any:
        self._outer.append(_current.manager)
        _current.manager = self
        return self

    def __exit__(self, *exc_info: object) -> None:
        _current.manager = self._outer.pop()


class Prefix(NameManager):
    """A NameManager that adds a prefix to every name, given or counted.

    prefix: a string.

    >>> names = mx.name.Prefix("net_")
    >>> names.get(None, "dense"), names.get("mine", "dense")
    ('net_dense0', 'net_mine')
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        return self._prefix + super().get(name, hint)


def current() -> NameManager:
    """Return this thread's NameManager."""
    return _current.manager


_current = _Current()
NameManager._in_force = _current        # pyright: ignore[reportPrivateUsage]
