"""MXNet's contributed modules: vocabularies and word vectors, mixed precision, and older names of other modules.

`mx.contrib.nd` and `mx.contrib.sym` are old names for `nd.contrib` and `sym.contrib`.
"""

from __future__ import annotations

import importlib
from types import ModuleType

from ..diagnostics.unsupported import refuse
from ..ndarray import contrib as ndarray
from ..symbol import contrib as symbol
from . import autograd, io, tensorboard, text

__all__ = ["amp", "autograd", "io", "nd", "ndarray", "onnx", "quantization", "sym", "symbol", "tensorboard", "text"]

nd, sym = ndarray, symbol


def __getattr__(name: str) -> ModuleType | None:
    """Return `amp`, `onnx` or `quantization`, which are imported on demand because they depend on Gluon; for names that
    are intentionally missing, explain why.
    """
    if name in ("amp", "onnx", "quantization"):
        return importlib.import_module("." + name, __name__)
    refuse("mx.contrib", name)
