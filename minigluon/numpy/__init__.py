"""`mx.np`: NumPy's interface.

Its arrays are views of NDArrays, so that the engine, the tape and the devices are those of `nd`.

    array           the class ndarray, and the way between it and NDArray
    table           one row for each function, written with F in `functions/`
    array_functions `np.X` from a row; `fallback`: functions that NumPy computes
    promotion       the types of results
    operators, indexing, methods, printing      what arrays do themselves
    creation, random, linalg
"""

from __future__ import annotations

import importlib
from typing import Any

import numpy as onp

from ..base import nearest
from . import creation, indexing, linalg, methods, namespace, operators, printing, protocol, random
from .array import ndarray, np_view
from .creation import *
from .unsupported import refuse

indexing.add_indexing()
methods.add_methods()
printing.add_printing()
protocol.add_protocol()

_CONSTANTS = {"e": onp.e, "inf": onp.inf, "nan": onp.nan, "newaxis": None, "pi": onp.pi, "NAN": onp.nan,
              "NINF": -onp.inf, "NZERO": -0.0, "NaN": onp.nan, "PINF": onp.inf, "PZERO": 0.0, "bool": bool}
_TYPES = ["bool_", "dtype", "finfo", "float16", "float32", "float64", "iinfo", "int32", "int64", "int8", "uint8"]
_OF_NUMPY = ["set_printoptions", "get_printoptions", "printoptions"]
globals().update(_CONSTANTS, **{name: getattr(onp, name) for name in [*_TYPES, *_OF_NUMPY]})

__all__ = ["linalg", "ndarray", "random", *creation.__all__, *namespace.names(), *_CONSTANTS, *_TYPES, *_OF_NUMPY]
# Submodules of MXNet's package, whose public names are all here.
_INNER = ("arrayprint", "fallback_linalg", "function_base", "io", "multiarray", "stride_tricks", "utils")
_operators = operators.__all__          # importing the module adds the methods


def __getattr__(name: str) -> Any:
    """Return a function, created when it is first accessed. Raises AttributeError for an unknown name."""
    if name in _INNER:
        return importlib.import_module(__name__)
    try:
        function = globals()[name] = namespace.lookup(name)
    except KeyError:
        refuse("np", name)
        raise AttributeError(f"mx.np has no attribute {name!r}." + nearest(name, __all__)) from None
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
