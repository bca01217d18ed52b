"""Operators as methods of Symbol, the same ones as for NDArray, so that `hybrid_forward` can use them."""

from __future__ import annotations

import numbers
from typing import Any

from ..common.types import DType, Shape
from ..frontend.methods import METHODS
from ..ops import REGISTRY
from ..providers import ask
from .creation import split_v2
from .register import make_function
from .symbol import Symbol

__all__ = ["add_methods"]


def add_methods() -> None:
    """Adds the methods to Symbol. Methods defined in the class are kept."""
    for name in METHODS:
        if name in REGISTRY and name not in Symbol.__dict__:
            setattr(Symbol, name, make_function(REGISTRY[name], name))
    Symbol.reshape = reshape
    Symbol.astype = astype
    Symbol.split_v2 = split_v2
    Symbol.as_np_ndarray = as_np_ndarray
    Symbol.as_nd_ndarray = as_nd_ndarray


def reshape(self: Symbol, *shape: Shape, **kwargs: Any) -> Symbol:
    """Returns the elements in the given shape: integers or a tuple, with the codes of `sym.reshape`.

    kwargs: `shape` may be given by name, and so may other arguments of `sym.reshape`, such as reverse=True.

    >>> sym.var("x", shape=(2, 3)).reshape((3, -1)).infer_shape()[1]
    [(3, 2)]
    """
    if len(shape) == 1 and not isinstance(shape[0], numbers.Integral):
        shape = shape[0]
    return _reshape(self, shape=kwargs.pop("shape", shape) if shape == () else shape, **kwargs)


def astype(self: Symbol, dtype: DType) -> Symbol:
    """Returns the elements converted to the type `dtype`.

    >>> print(sym.var("x").astype("int32").eval(x=nd.array([1.5]))[0].asnumpy())
    [1]
    """
    return _cast(self, dtype=dtype)


def as_np_ndarray(self: Symbol) -> Any:
    """Returns the same outputs as a symbol with `mx.np` operators.

    >>> sym.var("x").as_np_ndarray()
    <_Symbol x>
    """
    return ask("np").np_view_of_symbol(self)


def as_nd_ndarray(self: Symbol) -> Symbol:
    """Returns the same outputs as a symbol with `mx.nd` operators: the symbol itself.

    >>> x = sym.var("x")
    >>> x.as_nd_ndarray() is x
    True
    """
    return self


_reshape = make_function(REGISTRY["reshape"], "reshape")
_cast = make_function(REGISTRY["Cast"], "Cast")
