"""The only way up: a layer obtains a part of a higher layer by name.

Imports point down (see the layers in docs/README.md). A few methods need something from a higher layer: `Symbol.bind`
is a method of graphs, but binding a graph needs arrays. Such a method requests its part from the table when called.
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
    "np": "numpy.provided",
    "onnx": "interop.onnx",
    "onnx.exporter": "interop.onnx.exporter",
    "sym.json_load": "symbol.json_load",
}
_parts: dict[str, Any] = {}


def ask(name: str) -> Any:
    """Return the part with a name in the table, imported at the first call. Raises KeyError for any other name."""
    part = _parts.get(name)
    if part is None:
        module, _, attribute = _places[name].partition(":")
        part = importlib.import_module(f"{__package__}.{module}".rstrip("."))
        part = _parts[name] = getattr(part, attribute) if attribute else part
    return part
