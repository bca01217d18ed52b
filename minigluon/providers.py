"""The one way up: what a floor needs of a floor above it, it asks for by name.

An import points down (see the floors in docs/README.md). In a few places a class has a method whose work is done above
it: `Symbol.bind` is a method of graphs, and what binds them knows arrays. The table says once, for all of them,
which module provides such a part; the method asks for it when it is called.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["ask"]

# name -> "module" or "module:attribute" below this package; "" is the package
_places: dict[str, str] = {
    "executor": "legacy.executor",
    "explain.symbol_drawing": "tools.explain.symbol_drawing",
    "image.records": "image.records",
    "mx": "",
    "nd": "ndarray",
    "nd.CachedOp": "hybrid.nd_cached_op:CachedOp",
    "nd.sparse": "ndarray.sparse",
    "onnx": "interop.onnx",
    "onnx.exporter": "interop.onnx.exporter",
    "sym.json_load": "symbol.json_load",
}
_parts: dict[str, Any] = {}


def ask(name: str) -> Any:
    """The part that the table has under a name. Its module is imported when it is first asked for.

    Raises KeyError for a name that is not in the table.
    """
    part = _parts.get(name)
    if part is None:
        module, _, attribute = _places[name].partition(":")
        part = importlib.import_module(f"{__package__}.{module}".rstrip("."))
        part = _parts[name] = getattr(part, attribute) if attribute else part
    return part
