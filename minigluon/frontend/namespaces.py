"""`nd.contrib`, `sym.contrib` and similar namespaces: parts of the operator table under shorter names."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ..base import nearest
from ..ops import REGISTRY

__all__ = ["SPARSE", "Namespace", "add_namespaces"]

SPARSE = {"adagrad_update": "_sparse_adagrad_update", "retain": "_sparse_retain"}       # only in `sparse`


class Namespace:
    """Creates functions on attribute access: `contrib.box_iou` comes from the operator `_contrib_box_iou`.

    functions: {name: function} for functions that are not operators.
    """

    def __init__(self, name: str, prefix: str, make_function: Callable[..., Any], functions: dict[str, Any] = ()):
        self.__name__ = name
        self._prefix = prefix
        self._make_function = make_function
        self._written = dict(functions)
        self.__dict__.update(self._written)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):           # Python reads these attributes of every module
            raise AttributeError(name)
        key = self._prefix + name
        if key not in REGISTRY:
            raise AttributeError(f"{self.__name__} has no function {name!r}." + nearest(name, dir(self)))
        function = self.__dict__[name] = self._make_function(REGISTRY[key], name)
        return function

    def __dir__(self) -> list[Any]:
        generated = {key[len(self._prefix):] for key in REGISTRY if key.startswith(self._prefix)}
        return sorted(generated | self._written.keys())

    def __repr__(self) -> str:
        return f"<{self.__name__}: {len(dir(self))} functions>"


def add_namespaces(package: dict[str, Any], make_function: Callable[..., Any], *contrib: ModuleType) -> None:
    """Adds MXNet's namespaces to `nd` or `sym`, given as a dict of its names. Existing names are kept.

    Names can also be imported from them, as from MXNet's modules: `from minigluon.symbol.contrib import cond`.
    contrib: the modules whose functions are in `contrib` in addition to the operators.
    """
    name = package["__name__"].replace("minigluon.ndarray", "nd").replace("minigluon.symbol", "sym")
    prefixes = {"contrib": "_contrib_", "image": "_image_", "linalg": "_linalg_", "op": "", "_internal": ""}
    for part, prefix in prefixes.items():
        functions = {key: getattr(m, key) for m in contrib for key in m.__all__} if part == "contrib" else {}
        package.setdefault(part, Namespace(f"{name}.{part}", prefix, make_function, functions))
    package.setdefault("sparse", Namespace(f"{name}.sparse", "", make_function, {
        short: make_function(REGISTRY[name], short) for short, name in SPARSE.items()}))
    sys.modules.update({f"{package['__name__']}.{part}": package[part] for part in [*prefixes, "sparse"]})
