"""What MXNet calls contributed: words and their vectors, and older names of other modules.

`mx.contrib.nd` and `mx.contrib.sym` are what programs for older versions call `nd.contrib` and `sym.contrib`.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from ..diagnostics.unsupported import refuse
from ..ndarray import contrib as ndarray
from ..symbol import contrib as symbol
from . import autograd, io, tensorboard, text

__all__ = ["amp", "autograd", "io", "nd", "ndarray", "onnx", "sym", "symbol", "tensorboard", "text"]

nd, sym = ndarray, symbol


def __getattr__(name: str) -> ModuleType | None:
    """`amp` and `onnx`, which stand above Gluon, are imported when asked for. What is left out on purpose says so."""
    if name in ("amp", "onnx"):
        return importlib.import_module("." + name, __name__)
    refuse("mx.contrib", name)
