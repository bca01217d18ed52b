"""`sym`: the same functions as `nd`, writing a graph instead of computing. Made from the same table."""

from ..base import nearest
from ..habits import MODULES
from ..missing import remedy
from ..namespaces import add_namespaces
from ..ops import REGISTRY
from . import arithmetic, contributed, control, creation, random
from .arithmetic import *
from .creation import *
from .custom import custom_function
from .json_load import load, load_json
from .methods import add_methods
from .register import make_function
from .symbol import Group, Symbol, Variable, var

__all__ = [*arithmetic.__all__, *creation.__all__, "Custom", "Group", "Symbol", "Variable", "load", "load_json",
           "random", "var"]

for _name, _cls in REGISTRY.items():
    if _name not in globals():
        globals()[_name] = make_function(_cls, _name)
        if not _name.startswith("_"):
            __all__.append(_name)

Custom = custom_function
Custom.__name__ = Custom.__qualname__ = "Custom"
add_namespaces(globals(), make_function, control, contributed)
add_methods()


def __getattr__(name):
    """An operator that a program registered after the import."""
    if name not in REGISTRY:
        instead = remedy(MODULES[__name__], name) or "." + nearest(name, __all__)
        raise AttributeError(f"sym has no function {name!r}{instead}")
    function = globals()[name] = make_function(REGISTRY[name], name)
    return function
