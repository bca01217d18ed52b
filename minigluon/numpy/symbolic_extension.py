"""`mx.sym.npx`: the operators of `mx.npx` in graphs. `F.npx` is this module while a block is traced."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from ..base import CallError, nearest
from ..ops import REGISTRY
from ..symbol.register import make_function
from ..symbol.symbol import Symbol
from .distributions import DISTRIBUTIONS, build_function
from .npx_operators import OPERATORS
from .symbolic_random import run
from .symbols import _Symbol, call, np_view

__all__ = sorted([*OPERATORS, "constraint_check", "image", "nonzero", "random", "reshape"])


def __getattr__(name: str) -> Any:
    """Return an operator. Raises AttributeError for an unknown name."""
    if name not in OPERATORS:
        raise AttributeError(f"mx.sym.npx has no function {name!r}." + nearest(name, __all__))
    function = globals()[name] = _operator(name, OPERATORS[name])
    return function


def relu(data: Any) -> Any:
    """Return the symbol of max(x, 0).

    data: a symbol of `mx.sym.np`.
    """
    return call("_npx_relu", data)


def sigmoid(data: Any) -> Any:
    """Return the symbol of 1 / (1 + exp(-x)).

    data: a symbol of `mx.sym.np`.
    """
    return call("_npx_sigmoid", data)


def nonzero(x: Any) -> Any:
    """Return the symbol of the indices of the elements that are not 0; each row of the result is one element's index.

    x: a symbol of `mx.sym.np`.
    """
    return call("_npx_nonzero", x)


def constraint_check(input: Any, msg: str | None = None) -> Any:
    """Return the symbol of True; a run of the graph raises an error if an element of the input is false.

    input: a symbol of `mx.sym.np`.
    msg: the error message.
    """
    return call("_npx_constraint_check", input, **({} if msg is None else {"msg": msg}))


def reshape(a: Any, newshape: Any, reverse: bool = False, order: str = "C") -> Any:
    """Return the symbol of the elements in another shape, with the codes of `npx.reshape`.

    a: a symbol of `mx.sym.np`.
    newshape: an integer or a tuple of lengths and codes.
    reverse: True reads the codes and the lengths from the right.
    order: must be 'C'.
    """
    return call("_npx_reshape", a, newshape, **({"reverse": reverse} if reverse else {}), order=order)


def _operator(name: str, operator: str) -> Callable[..., Any]:
    compute = make_function(REGISTRY[operator], name)

    def function(*args: Any, **kwargs: Any) -> Any:
        for x in (*args, *kwargs.values()):
            if isinstance(x, Symbol) and not isinstance(x, _Symbol):
                raise CallError(f"npx.{name}: expected a symbol of mx.sym.np, found {type(x).__name__}. "
                                "x.as_np_ndarray() makes one of a symbol.")
        made = compute(*args, **kwargs)
        return made if len(made) == 1 else [np_view(part) for part in made]

    function.__name__ = function.__qualname__ = name
    function.__doc__, function.__signature__ = compute.__doc__, compute.__signature__
    return function


random = SimpleNamespace(**{row.name: build_function("npx", row, run) for row in DISTRIBUTIONS["npx"]})
image = SimpleNamespace(**{name[7:]: _operator(name[7:], name) for name in REGISTRY if name.startswith("_image_")})


def __dir__() -> list[str]:
    return sorted(__all__)
