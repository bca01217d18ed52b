"""`mx.sym.np`: the functions of the table in graphs. `F.np` is this module while a block is traced."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from .. import symbol
from ..base import NotImplementedForSymbol, nearest
from . import symbols
from .fallback import NAMES
from .functions import __all__ as _modules
from .parameter_texts import documented
from .table import FUNCTIONS

_WRITTEN = ["_Symbol", "arange", "full", "linalg", "ones", "random", "zeros"]
__all__ = [*_WRITTEN, *[name for name in FUNCTIONS if name[0] != "_" and "." not in name]]
_modules_of_rows = _modules


def _function(name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return symbols.call(name, *args, **kwargs)
    row = FUNCTIONS[name]
    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = documented(row.call, list(row.signature.parameters))
    function.__signature__ = row.signature
    return function


def _draws(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return a sampler of `sym.random` with NumPy's parameter `size`."""
    def function(first: Any = 0.0, second: Any = 1.0, size: Any = None, dtype: Any = None, ctx: Any = None) -> Any:
        shape = () if size is None else (size,) if isinstance(size, int) else tuple(size)
        drawn = symbols.np_view(draw(first, second, shape=shape or (1,), **({"dtype": dtype} if dtype else {})))
        return drawn if shape else drawn.reshape(())
    function.__name__ = function.__qualname__ = draw.__name__
    function.__doc__ = (f"Return the symbol of {draw.__name__} samples.\n\nfirst, second: the parameters, numbers.\n"
                        "size: the shape, () if None.\ndtype: float32 if None.\nctx: has no effect in a graph.")
    return function


def zeros(shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return the symbol of an array of zeros.

    shape: an integer or a tuple.
    dtype: float32 if None.
    order, ctx: have no effect in a graph.
    """
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return the symbol of an array of ones.

    shape: an integer or a tuple.
    dtype: float32 if None.
    order, ctx: have no effect in a graph.
    """
    return full(shape, 1, dtype)


def full(shape: Any, fill_value: float, dtype: Any = None, order: str = "C", ctx: Any = None) -> Any:
    """Return the symbol of an array filled with a number.

    shape: an integer or a tuple.
    fill_value: the number.
    dtype: float32 if None.
    order, ctx: have no effect in a graph.
    """
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    made = symbols.np_view(symbol.full(lengths or (1,), fill_value, dtype="float32" if dtype is None else dtype))
    return made if lengths else made.reshape(())


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None, ctx: Any = None) -> Any:
    """Return the symbol of start, start + step, ... below stop; with one number, from 0 to it.

    start, stop, step: numbers.
    dtype: float32 if None.
    ctx: has no effect in a graph.
    """
    if stop is None:
        start, stop = 0, start
    return symbols.np_view(symbol.arange(start, stop, step, dtype="float32" if dtype is None else dtype))


uniform, normal = _draws(symbol.random.uniform), _draws(symbol.random.normal)
random = SimpleNamespace(
    uniform=uniform, normal=normal, rand=lambda *size, **kwargs: uniform(0, 1, size, **kwargs),
    randn=lambda *size, **kwargs: normal(0, 1, size, **kwargs))
linalg = SimpleNamespace(**{name[7:]: _function(name) for name in FUNCTIONS if name.startswith("linalg.")})


def __getattr__(name: str) -> Any:
    """Return a function. Raises NotImplementedForSymbol for one that NumPy computes, AttributeError for others."""
    if name in FUNCTIONS:
        function = globals()[name] = _function(name)
        return function
    if name in NAMES:
        raise NotImplementedForSymbol(f"np.{name} is computed by NumPy and cannot be in a graph; leave the block "
                                      "imperative, or write it with other functions (docs/np.md)")
    raise AttributeError(f"mx.sym.np has no function {name!r}." + nearest(name, __all__))


def __dir__() -> list[str]:
    return sorted(__all__)
