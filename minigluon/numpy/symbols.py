"""Symbols with NumPy's manners, which `hybrid_forward` gets in place of arrays of `mx.np`."""

from __future__ import annotations

from typing import Any

from ..base import CallError, NotImplementedForSymbol
from ..frontend.operators import as_number
from ..symbol.symbol import Symbol
from ..symbol.symbol import compose as compose_node
from .array import to_np
from .composite import NumpyFunction, Place, count_outputs
from .operators import NAMES

__all__ = ["call", "np_view"]


class _Symbol(Symbol):
    """One or several outputs of a graph, with the operators and methods of arrays of `mx.np`.

    `x.as_np_ndarray()` makes one of a symbol; the functions of `mx.sym.np` take and return them.

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

    # Python asks a subclass first if it defines the method: so a mixture is refused with this operand on either side.
    def __radd__(self, other: Any) -> Any:
        return _operands("add", other, self)

    def __rsub__(self, other: Any) -> Any:
        return _operands("subtract", other, self)

    def __rmul__(self, other: Any) -> Any:
        return _operands("multiply", other, self)

    def __rtruediv__(self, other: Any) -> Any:
        return _operands("divide", other, self)

    def __neg__(self) -> Any:
        return call("negative", self)

    def __abs__(self) -> Any:
        return call("abs", self)

    def __floordiv__(self, other: Any) -> Any:
        return _operands("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _operands("floor_divide", other, self)

    def __getitem__(self, key: Any) -> Any:
        if len(self.heads) > 1:
            return np_view(super().__getitem__(key))
        return call("_basic_index", self, _frozen_key(key))

    def reshape(self, *shape: Any, order: str = "C") -> Any:
        """Return the elements in another shape; one length may be -1.

        shape: integers or a tuple.
        order: must be 'C'.
        """
        return call("reshape", self, shape[0] if len(shape) == 1 else shape, order)

    def transpose(self, *axes: Any) -> Any:
        """Return the array with its axes in another order, by default reversed.

        axes: integers or a tuple.
        """
        return call("transpose", self, (axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes) or None)

    def astype(self, dtype: Any, copy: bool = True) -> Any:
        """Return the elements converted to `dtype`.

        copy: has no effect.
        """
        return np_view(self.as_nd_ndarray().astype(dtype))

    def clip(self, min: Any = None, max: Any = None) -> Any:
        """Return each element, or the bound that it is beyond.

        min, max: the bounds, numbers, symbols or None.
        """
        return call("clip", self, min, max)

    def flatten(self, order: str = "C") -> Any:
        """Return the elements in one axis.

        order: must be 'C'.
        """
        return call("ravel", self, order)

    @property
    def T(self) -> Any:
        """The array with its axes reversed."""
        return call("transpose", self)


def _add_methods() -> None:
    for name in ("all", "any", "argmax", "argmin", "argsort", "broadcast_to", "cumsum", "dot", "max", "mean",
                 "min", "prod", "ravel", "repeat", "round", "sort", "squeeze", "std", "sum", "swapaxes", "take", "var"):
        setattr(_Symbol, name, _method(name))


def _method(name):
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(name, self, *args, **kwargs)
    method.__name__ = name
    method.__qualname__ = f"_Symbol.{name}"
    method.__doc__ = f"Return `np.{name}` of the symbol.\n\nargs, kwargs: those of `np.{name}` after its first."
    return method


def np_view(symbol: Symbol) -> _Symbol:
    """Return the outputs of a symbol as a symbol with the operators of `mx.np`."""
    return symbol if isinstance(symbol, _Symbol) else _Symbol(symbol.heads)


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """Return the symbol of a call of a function of the table; a list of symbols if it has several results.

    Raises CallError for a symbol that is not of `mx.sym.np`, and if there is none among the arguments.
    """
    inputs: list[Symbol] = []
    if kwargs.pop("out", None) is not None:
        raise CallError(f"np.{name}: a graph writes to no array; leave out= out")
    placed = tuple([_placed(name, x, inputs) for x in args])
    keywords = tuple(sorted((key, _placed(name, x, inputs)) for key, x in kwargs.items()))
    if not inputs:
        raise CallError(f"np.{name}: expected a symbol of mx.sym.np, found {', '.join(map(repr, args)) or 'nothing'}")
    count = count_outputs(name, args, kwargs)
    op = NumpyFunction(function=name, args=placed, keywords=keywords, num_outputs=count)
    made = compose_node(op, inputs, hint=name.rpartition(".")[2].strip("_"))
    return np_view(made) if count == 1 else [_Symbol([head]) for head in made.heads]


def _placed(name: str, x: Any, inputs: list[Symbol]) -> Any:
    """Return an argument with a Place for each symbol in it, which goes to `inputs`; lists become tuples."""
    if isinstance(x, _Symbol):
        inputs.append(x)
        return Place(len(inputs) - 1)
    if isinstance(x, Symbol) or hasattr(x, "asnumpy"):
        raise CallError(f"np.{name}: expected a symbol of mx.sym.np, found {type(x).__name__}. "
                        "x.as_np_ndarray() makes one of a symbol.")
    if isinstance(x, (list, tuple)):
        return tuple([_placed(name, part, inputs) for part in x])
    return x


def _operands(name: str, left: Any, right: Any) -> Any:
    for operand in (left, right):
        if not isinstance(operand, _Symbol) and as_number(operand) is None:
            raise CallError(f"{name}: expected symbols of mx.sym.np and numbers, found {type(operand).__name__}")
    return call(name, *[x if isinstance(x, _Symbol) else as_number(x) for x in (left, right)])


def _frozen_key(key: Any) -> Any:
    """Return a key of integers, slices, None and Ellipsis in a form that can be an attribute."""
    items = []
    for item in key if isinstance(key, tuple) else (key,):
        if isinstance(item, slice):
            items.append(("slice", item.start, item.stop, item.step))
        elif item is None or item is ... or isinstance(item, int):
            items.append(item)
        else:
            raise NotImplementedForSymbol(f"a symbol of mx.sym.np cannot be indexed with {type(item).__name__} "
                                          f"{item!r} yet; use np.take, np.where, or leave the block imperative")
    return tuple(items)




_add_methods()
