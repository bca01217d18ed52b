"""MXNet names that minigluon deliberately does not implement, and errors that name an alternative."""

from __future__ import annotations

import sys
from typing import Any

from ..base import MXNetError
from .foreign_names import MODULES
from .suggestions import missing

__all__ = ["AbsentError", "AbsentImportError", "refuse", "refuse_import"]

_MODULES = {
    "quantization": "it is in mx.contrib",
    "rtc": "kernels compiled from CUDA text at run time are not here: write an operator (docs/1-one-operator.md), or "
           "use mx.operator.CustomOp",
    "tvmop": "operators made by TVM are not here", "th": "Torch's operators are not here",
    "library": "MXNet's compiled operator libraries cannot be loaded: write an operator, or use mx.operator.CustomOp",
}


class AbsentError(MXNetError, AttributeError):
    """Raised for an MXNet name that is deliberately not implemented. `hasattr` returns False for such a name.

    >>> try:
    ...     mx.rtc
    ... except mx.absent.AbsentError:
    ...     print("see docs/differences.md")
    see docs/differences.md
    """


class AbsentImportError(MXNetError, ImportError):
    """Raised for an import such as `from minigluon import rtc`.

    >>> try:
    ...     from minigluon import rtc
    ... except mx.absent.AbsentImportError:
    ...     print("see docs/differences.md")
    see docs/differences.md
    """


def refuse_import(name: str, package: str = "mxnet") -> Any:
    """Raise AbsentImportError for an MXNet module that is deliberately not implemented.

    name: the name of the module.
    package: the name under which the program imports the package.

    >>> try:
    ...     mx.absent.refuse_import("rtc")
    ... except ImportError as error:
    ...     print(type(error).__name__)
    AbsentImportError
    """
    raise AbsentImportError(f"from {package} import {name}: {_MODULES[name]}.")


def refuse(module: str, name: str) -> Any:
    """Raise AbsentError with an alternative, or a plain AttributeError for a name that does not exist in MXNet either.

    module: the program's name for the module.

    >>> try:
    ...     mx.absent.refuse("mx", "rtc")
    ... except AttributeError as error:
    ...     print(type(error).__name__)
    AbsentError
    """
    if name in _MODULES:
        raise AbsentError(f"{module}.{name}: {_MODULES[name]}.")
    place = module.replace("mx", "minigluon", 1)
    raise missing(f"module {module!r}", name, MODULES.get(place, {}), lambda: dir(sys.modules[place]))
