"""Views as arrays and symbols of `mx.np`, and the modules `F.np` and `F.npx`, for lower layers (`providers.py`)."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

__all__ = ["module", "np_view", "np_view_of_symbol", "operator_of"]

_PLACES = {("nd", "np"): "numpy", ("nd", "npx"): "numpy.extension",
           ("sym", "np"): "numpy.symbolic", ("sym", "npx"): "numpy.symbolic_extension"}
_SHORT = {"numpy": "np", "numpy_extension": "npx"}


def module(space: str, name: str) -> ModuleType:
    """Return the module `nd.np`, `nd.npx`, `sym.np` or `sym.npx`.

    space: 'nd' or 'sym'.
    name: 'np' or 'npx', or the full name.
    """
    package = __package__.rpartition(".")[0]
    return importlib.import_module(f"{package}.{_PLACES[space, _SHORT.get(name, name)]}")


def np_view(array: Any) -> Any:
    """Return an array of `mx.np` on the memory of an NDArray."""
    return importlib.import_module(f"{__package__}").np_view(array)


def np_view_of_symbol(symbol: Any) -> Any:
    """Return a symbol with the operators of `mx.np`."""
    return importlib.import_module(f"{__package__}.symbols").np_view(symbol)


def operator_of(name: str, texts: dict[str, str], count: int) -> Any:
    """Return the operator for a node in a symbol file, or None for an unknown name.

    name: the operator's name.
    texts: the node's attributes.
    count: the number of inputs.
    """
    return importlib.import_module(f"{__package__}.nodes.build").operator_of(name, texts, count)
