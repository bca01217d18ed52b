"""`sym`: the same functions as in `nd`, but they build a graph instead of computing. They come from the same table."""

from typing import TYPE_CHECKING

from ..base import nearest
from ..diagnostics.foreign_names import MODULES
from ..diagnostics.suggestions import remedy
from ..frontend.namespaces import add_namespaces
from ..ops import REGISTRY
from ..providers import ask
from . import arithmetic, contributed, control, creation, open_shapes, random
from .arithmetic import *
from .creation import *
from .custom import custom_function
from .methods import add_methods
from .register import make_function
from .symbol import Group, Symbol, Variable, var

if TYPE_CHECKING:               # for editors and type checkers: the functions that read files
    from .json_load import load, load_json

__all__ = [*arithmetic.__all__, *creation.__all__, "Custom", "Group", "Symbol", "Variable", "random", "var"]

Custom = custom_function
Custom.__name__ = Custom.__qualname__ = "Custom"
add_namespaces(globals(), make_function, control, contributed)
add_methods()
_READERS = ("load", "load_json")          # the functions that read files, imported on first use


__all__ += _READERS
__all__ += (name for name in REGISTRY if name not in globals() and not name.startswith("_"))


def __getattr__(name):
    """Return an operator's function, created on first access, because few programs use more than a few dozen."""
    if name in _READERS:
        function = globals()[name] = getattr(ask("sym.json_load"), name)
        return function
    if name in ("np", "npx", "numpy", "numpy_extension"):
        return ask("np").module("sym", name)
    if name not in REGISTRY:
        instead = remedy(MODULES[__name__], name) or "." + nearest(name, __all__)
        raise AttributeError(f"sym has no function {name!r}{instead}")
    function = globals()[name] = make_function(REGISTRY[name], name)
    return function


def __dir__():
    return sorted({*globals(), *REGISTRY, *_READERS, "np", "npx", "numpy", "numpy_extension"})
