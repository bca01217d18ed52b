"""`mx.sym.npx`: the operators of `mx.npx` in graphs. `F.npx` is this module while a block is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..base import CallError, nearest
from ..ops import REGISTRY
from ..symbol.register import make_function
from ..symbol.symbol import Symbol
from .npx_operators import OPERATORS
from .symbols import _Symbol, call

__all__ = sorted([*OPERATORS, "reshape"])


def __getattr__(name: str) -> Any:
    """Return an operator. Raises AttributeError for an unknown name."""
    if name not in OPERATORS:
        raise AttributeError(f"mx.sym.npx has no function {name!r}." + nearest(name, __all__))
    function = globals()[name] = _operator(name)
    return function


def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> Any:
    """Return the symbol of the elements in another shape, with the codes of `npx.reshape`.

    a: a symbol of `mx.sym.np`.
    newshape: an integer or a tuple of lengths and codes.
    reverse: True reads the codes and the lengths from the right.
    order: must be 'C'.
    """
    return call("_npx_reshape", a, newshape, reverse, order)


def _operator(name: str) -> Callable[..., Any]:
    compute = make_function(REGISTRY[OPERATORS[name]], name)

    def function(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):
            if isinstance(x, Symbol) and not isinstance(x, _Symbol):
                raise CallError(f"npx.{name}: expected a symbol of mx.sym.np, found {type(x).__name__}. "
                                "x.as_np_ndarray() makes one of a symbol.")
        return compute(*args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__signature__ = compute.__doc__, compute.__signature__
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
