"""`sym`: the same functions as `nd`, writing a graph instead of computing. Made from the same table."""

from ..ops import REGISTRY
from .register import make_function
from .symbol import Group, Symbol, Variable, var

__all__ = ["Group", "Symbol", "Variable", "var"]

for _name, _cls in REGISTRY.items():
    if _name not in globals():
        globals()[_name] = make_function(_cls, _name)
        if not _name.startswith("_"):
            __all__.append(_name)
