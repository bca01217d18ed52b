"""`mx.sym.np`: the functions of the table in graphs. `F.np` is this module while a block is traced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..base import NotImplementedForSymbol, nearest
from . import symbolic_functions, symbolic_random, symbols
from .fallback import NAMES
from .functions import __all__ as _modules
from .nodes import host_functions
from .parameter_texts import documented
from .table import ALIASES, FUNCTIONS

_SOURCES = {"zeros": "_zeros", "ones": "_ones", "full": "_full", "eye": "_eye", "logspace": "_logspace",
            "blackman": "_blackman", "hamming": "_hamming", "hanning": "_hanning", "indices": "_indices"}
_PUBLIC = [name for name in {*FUNCTIONS, *ALIASES, *host_functions.NAMES} if name[0] != "_" and "." not in name]
__all__ = sorted({*_SOURCES, *_PUBLIC, *symbolic_functions.__all__, "_Symbol", "linalg", "random"} - {"norm"})
_modules_of_rows = _modules


def _function(name: str, public: str | None = None) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return symbols.call(name, *args, **kwargs)
    function.__name__ = function.__qualname__ = (public or name).rpartition(".")[2]
    row = FUNCTIONS.get(name)
    function.__signature__ = row.signature if row else host_functions.signature_of(name)
    function.__doc__ = documented(row) if row else (
        f"Return what NumPy's `{name}` computes when the graph runs.\n\nargs, kwargs: those of NumPy.")
    return function


linalg = SimpleNamespace(**{name[7:]: _function(ALIASES.get(name, name), name) for name in sorted(
    {*FUNCTIONS, *ALIASES, *host_functions.NAMES}) if name.startswith("linalg.")})
linalg.norm = symbolic_functions.norm
random = symbolic_random.random
globals().update({name: getattr(symbolic_functions, name) for name in symbolic_functions.__all__ if name != "norm"})


def __getattr__(name: str) -> Any:
    """Return a function.

    Raises NotImplementedForSymbol for a function that cannot be in a graph, AttributeError for other names.
    """
    row = _SOURCES.get(name) or ALIASES.get(name, name)
    if row in FUNCTIONS or row in host_functions.NAMES:
        function = globals()[name] = _function(row, name)
        return function
    if name == "_Symbol":
        return symbols._Symbol
    if name in NAMES:
        raise NotImplementedForSymbol(f"np.{name} is computed by NumPy and cannot be in a graph; leave the block "
                                      "imperative, or write it with other functions (docs/np.md)")
    raise AttributeError(f"mx.sym.np has no function {name!r}." + nearest(name, __all__))


def __dir__() -> list[str]:
    return sorted(__all__)
