"""The one way up: what a floor needs of a floor above it, it asks for by name.

An import points down (see the floors in docs/README.md). In a few places a class has a method whose work is done above
it: `Symbol.bind` is a method of graphs, and what binds them knows arrays. The package says once, in its `__init__`,
which module provides such a part; the method asks for it when it is called.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["ask", "provide"]

_places: dict[str, str] = {}
_parts: dict[str, Any] = {}


def provide(name: str, place: str) -> None:
    """Let `ask(name)` find a part: place is "module" or "module:attribute" below this package, "" the package."""
    _places[name] = place
    _parts.pop(name, None)


def ask(name: str) -> Any:
    """The part that was provided under a name. Its module is imported when it is first asked for.

    Raises KeyError for a name that nobody provides.
    """
    part = _parts.get(name)
    if part is None:
        module, _, attribute = _places[name].partition(":")
        part = importlib.import_module(f"{__package__}.{module}".rstrip("."))
        part = _parts[name] = getattr(part, attribute) if attribute else part
    return part
