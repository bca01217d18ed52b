"""Symbols that behave as in NumPy, which `hybrid_forward` receives in place of arrays of `mx.np`."""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..base import CallError, NotImplementedForSymbol
from ..frontend.operators import as_number
from ..symbol.symbol import Symbol
from ..symbol.symbol import compose as compose_node
from .array import to_np
from .composite import signature_of
from .nodes.build import node_for
from .nodes.placeholder import Placeholder
from .operators import BINARY, NAMES, add_binary

__all__ = ["call", "np_view"]


class _Symbol(Symbol):
    """One or several outputs of a graph, with the operators and methods of arrays of `mx.np`.

    `x.as_np_ndarray()` converts a symbol to this class; the functions of `mx.sym.np` take and return such symbols.

    >>> x = sym.var("x").as_np_ndarray()
    >>> y = (x * 2).sum()
    >>> y.eval(x=nd.array([1, 2, 3]))[0].asnumpy().item()
    12.0
    """

    def __repr__(self) -> str:
        return super().__repr__().replace("<Symbol", "<_Symbol")

    def as_np_ndarray(self) -> _Symbol:
        """Return the symbol itself."""
        return self

    def as_nd_ndarray(self) -> Symbol:
        """Return the same outputs as a symbol with the operators of `mx.nd`."""
        return Symbol(self.heads)

    _to_np = staticmethod(to_np)

    def _apply(self, row: Any, other: Any, out: Any = None) -> Any:
        return _operands(NAMES.get(row.name, row.name), self, other)

    def _apply_left(self, row: Any, other: Any) -> Any:
        return _operands(NAMES.get(row.name, row.name), other, self)

    def _product(self, other: Any) -> Any:
        return call("matmul", self, other)

    def __neg__(self) -> Any:
        return call("multiply", self, -1.0)

    def __abs__(self) -> Any:
        return call("abs", self)

    def __invert__(self) -> Any:
        return call("invert", self)

    def __getitem__(self, key: Any) -> Any:
        if len(self.heads) > 1:
            return np_view(super().__getitem__(key))
        items = key if isinstance(key, tuple) else (key,)
        if any(isinstance(item, (Symbol, list)) or hasattr(item, "asnumpy") for item in items):
            return call("_index", self, *_advanced_key(items))
        return _basic(self, key)

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """Return the elements in another shape; one length may be -1.

        shape: integers or a tuple.
        order: must be 'C'.
        """
        lengths = shape[0] if len(shape) == 1 else shape
        return call("reshape", self, lengths if isinstance(lengths, (tuple, list)) else (lengths,), order)

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order, by default reversed.

        axes: integers or a tuple.
        """
        order = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return call("transpose", self, order or None)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the elements converted to `dtype`.

        copy: no effect.
        """
        return np_view(self.as_nd_ndarray().astype(dtype))

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """Return each element, limited to the bounds.

        min, max: the bounds, numbers, symbols or None.
        """
        return call("clip", self, min, max)

    def flatten(self, order: str = "C") -> Any:
        """Return the elements as a flat array.

        order: must be 'C'.
        """
        return call("reshape", self, (-1,), order)

    @property
    def T(self) -> Any:
        """The array with its axes reversed."""
        return self.transpose()

    def take(self, indices: Any, axis: int | None = None, mode: str = "raise") -> Any:
        """Return the elements with these indices along an axis, or in the flat array.

        indices: a symbol.
        axis: an integer or None.
        mode: 'raise', 'clip' or 'wrap' for indices out of range.
        """
        if axis is None:
            return call("take", call("ravel", self), indices, 0, mode)
        return call("take", self, indices, axis, mode)


# name: parameters that MXNet's methods always write, whereas the functions write only those that are given
_METHODS = {**dict.fromkeys(("sum", "prod", "max", "min"), {"axis": None, "keepdims": False}),
            **dict.fromkeys(("cumsum", "repeat", "squeeze"), {"axis": None}),
            **dict.fromkeys(("all", "any", "argmax", "argmin", "argsort", "broadcast_to", "copy", "diagonal", "dot",
                             "mean", "ravel", "round", "sort", "std", "swapaxes", "trace", "var"), {})}


def _add_methods() -> None:
    for name in _METHODS:
        setattr(_Symbol, name, _method(name))


def _method(name):
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(name, self, *args, always_=_METHODS[name], **kwargs)
    method.__name__ = name
    method.__qualname__ = f"_Symbol.{name}"
    method.__doc__ = f"Return `np.{name}` of the symbol.\n\nargs, kwargs: those of `np.{name}` after its first."
    return method


def np_view(symbol: Symbol) -> _Symbol:
    """Return the outputs of a symbol as a symbol with the operators of `mx.np`."""
    return symbol if isinstance(symbol, _Symbol) else _Symbol(symbol.heads)


def call(name: str, *args: Any, always_: Any = None, **kwargs: Any) -> Any:
    """Return the symbol for a call of a function in the table, or a list of symbols if it has several results.

    name: the name of a function in the table, or of one that NumPy computes.
    args, kwargs: the function's arguments.
    always_: defaults that the node has as attributes even if the call does not specify them.

    Raises CallError for a symbol that is not of `mx.sym.np`, and if there is no symbol among the arguments.
    """
    inputs: list[Symbol] = []
    if kwargs.pop("out", None) is not None:
        raise CallError(f"np.{name}: a graph writes to no array; leave out= out")
    kwargs.pop("ctx", None)
    given = _bound(name, args, kwargs, always_)
    given = {key: _placed(name, x, inputs) for key, x in given.items()}
    if not inputs and name[0] != "_":
        raise CallError(f"np.{name}: expected a symbol of mx.sym.np, found {', '.join(map(repr, args)) or 'nothing'}")
    op, texts, stem = node_for(name, given, len(inputs))
    made = compose_node(op, inputs, attrs=texts, hint=stem)
    return np_view(made) if op.num_outputs == 1 else [_Symbol([head]) for head in made.heads]


def _bound(name, args, kwargs, always):
    """Return {parameter: argument}. Raises CallError for arguments that the function does not take."""
    signature = signature_of(name)
    try:
        bound = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        reason = str(error)
    else:
        return {**{key: x for key, x in (always or {}).items() if key not in bound}, **bound}
    raise CallError(f"np.{name}{signature}: {reason}")


def _placed(name: str, x: Any, inputs: list[Symbol]) -> Any:
    """Return an argument with a Placeholder for each symbol in it, which is added to `inputs`; lists become tuples."""
    if isinstance(x, _Symbol):
        inputs.append(x)
        return Placeholder(len(inputs) - 1)
    if isinstance(x, Symbol) or hasattr(x, "asnumpy"):
        raise CallError(f"np.{name}: expected a symbol of mx.sym.np, found {type(x).__name__}. "
                        "x.as_np_ndarray() makes one of a symbol.")
    if isinstance(x, (list, tuple)):
        return tuple([_placed(name, part, inputs) for part in x])
    return ("slice", x.start, x.stop, x.step) if isinstance(x, slice) else x


def _operands(name: str, left: Any, right: Any) -> Any:
    for operand in (left, right):
        if not isinstance(operand, _Symbol) and as_number(operand) is None:
            raise CallError(f"{name}: expected symbols of mx.sym.np and numbers, found {type(operand).__name__}")
    return call(name, *[x if isinstance(x, _Symbol) else as_number(x) for x in (left, right)])


def _basic(x: _Symbol, key: Any) -> Any:
    """Return x[key] for integers, slices, None and Ellipsis, using MXNet's `slice`, then a reshape that drops axes."""
    items = tuple([int(item) if isinstance(item, onp.integer) else item
                   for item in (key if isinstance(key, tuple) else (key,))])
    key = items if isinstance(key, tuple) else items[0]
    frozen = tuple([_frozen(item) for item in items])
    if any(item is None or item is ... for item in items):
        return call("_basic_index", x, tuple([item[1] if isinstance(item, tuple) and item[0] == "index" else item
                                              for item in frozen]))
    part = call("_basic_index", x, frozen if isinstance(key, tuple) else frozen[0])
    if not isinstance(key, (tuple, int)) or not items:
        return part
    return call("_npx_reshape", part, (*[-3 if isinstance(item, int) else -2 for item in items], -4))


def _frozen(item: Any) -> Any:
    """Return an item of a key in a form that can be an attribute."""
    if isinstance(item, slice):
        return ("slice", item.start, item.stop, item.step)
    if item is None or item is ... or isinstance(item, int) and not isinstance(item, bool):
        return ("index", item) if isinstance(item, int) else item
    raise NotImplementedForSymbol(f"a symbol of mx.sym.np cannot be indexed with {type(item).__name__} {item!r}; "
                                  "use integers, slices, lists of integers, symbols, None or Ellipsis")


def _advanced_key(items: Any) -> tuple[Any, ...]:
    """Return the arguments of `_index`: the key with placeholders for symbols, and the symbols."""
    symbols = [item for item in items if isinstance(item, Symbol)]
    numbers = iter(range(len(symbols)))
    key = tuple([("array", next(numbers)) if isinstance(item, Symbol) else ("list", *item) if isinstance(item, list)
                 else _frozen(item) for item in items])
    return (key, *symbols)


_add_methods()
# Python asks a subclass first if it defines the method: so a mixture is refused with this operand on either side.
add_binary(_Symbol, _operands, {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", **BINARY})
_Symbol.__radd__ = _Symbol.__add__              # MXNet writes the same node for both
