"""The former location of `mx.onnx`: `from mxnet.contrib import onnx as onnx_mxnet` still works."""

from __future__ import annotations

import importlib
from typing import Any

from ...diagnostics.unsupported import refuse
from ...providers import ask as _ask

# The modules in which MXNet 1.3 to 1.8 define these functions.
_MODULES = ("mx2onnx", "onnx2mx")


def __getattr__(name: str) -> Any:
    """Return a function of `mx.onnx`, or a module of an older version."""
    if name in _MODULES:
        return importlib.import_module("." + name, __name__)
    if name in (new := _ask("onnx")).__all__:
        return getattr(new, name)
    refuse("mx.contrib.onnx", name)


def __dir__():
    return sorted({*globals(), *_MODULES, *_ask("onnx").__all__})
