"""`nd`: arrays that compute immediately. The functions come from the table of operators (`minigluon.ops`)."""

from ..base import nearest
from ..diagnostics.foreign_names import MODULES
from ..diagnostics.suggestions import remedy
from ..frontend.namespaces import add_namespaces
from ..ops import REGISTRY
from ..providers import ask
from . import (
    arithmetic,
    array_functions,
    contributed,
    control,
    copying,
    creation,
    dlpack,
    exports,
    in_place_operators,
    ndarray,
    random,
    ranges,
    replaced_memory,
    saving,
    shape_methods,
    sparse,
    variables,
    write_in_place,
)
from .arithmetic import *
from .arithmetic import _copyto, _Embedding_grad, _sum_like
from .array_functions import *
from .creation import *
from .custom import custom_function
from .dlpack import *
from .imperative import invoke
from .indexing import add_indexing
from .methods import add_methods
from .ndarray import NDArray, _stand_in
from .numpy_protocol import add_numpy_protocol
from .ranges import *
from .register import make_function
from .saving import *
from .sparse import cast_storage

__all__ = ["Custom", "NDArray", "cast_storage", "random", "sparse", *arithmetic.__all__, *array_functions.__all__,
           *creation.__all__, *ranges.__all__, *dlpack.__all__, *saving.__all__]

Custom = custom_function
Custom.__name__ = Custom.__qualname__ = "Custom"
add_namespaces(globals(), make_function, control, contributed)
add_methods()
add_indexing()
add_numpy_protocol()


__all__ += (name for name in REGISTRY if name not in globals() and not name.startswith("_"))


def __getattr__(name):
    """Return the function of an operator, created on first access because few programs use more than a few dozen."""
    if name == "CachedOp":
        return ask("nd.CachedOp")
    if name in ("np", "npx", "numpy", "numpy_extension"):
        return ask("np").module("nd", name)
    if name not in REGISTRY:
        instead = remedy(MODULES[__name__], name) or "." + nearest(name, __all__)
        raise AttributeError(f"nd has no function {name!r}{instead}")
    function = globals()[name] = make_function(REGISTRY[name], name)
    return function


def __dir__():
    return sorted({*globals(), *REGISTRY, "CachedOp", "np", "npx", "numpy", "numpy_extension"})
