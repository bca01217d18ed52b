"""`mx.onnx`: export to ONNX and import from it. The package `onnx` comes with pip install "minigluon[onnx]"."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ...diagnostics.unsupported import refuse

# The module that defines each name. It is imported when a program first uses the name.
_NAMES: dict[str, str] = {
    **dict.fromkeys(["export_model", "get_operator_support"], ".exporter"),
    **dict.fromkeys(["get_model_metadata", "import_model", "import_to_gluon"], ".importer"),
}

__all__ = ["export_model", "get_model_metadata", "get_operator_support", "import_model", "import_to_gluon"]

if TYPE_CHECKING:               # for editors and type checkers
    from .exporter import export_model, get_operator_support
    from .importer import get_model_metadata, import_model, import_to_gluon


def __getattr__(name: str) -> Any:
    """Returns a function of the exporter or the importer."""
    if name not in _NAMES:
        refuse("mx.onnx", name)
    function = globals()[name] = getattr(importlib.import_module(_NAMES[name], __name__), name)
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
