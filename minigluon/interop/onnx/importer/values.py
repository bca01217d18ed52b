"""Values in an ONNX graph while it is read, and inference of their shapes and dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....base import MXNetError
from ....ops.symbolic_dimensions import Scope, SymbolicDim
from ....symbol.graph import topological
from ....symbol.infer import infer_dtypes, infer_shapes

if TYPE_CHECKING:
    from ....common.types import DType
    from ....symbol import Symbol

__all__ = ["Facts", "Sequence", "Value", "is_static", "same_length"]


class Value:
    """Known numbers (`array`), or a symbol with one output.

    shape: ONNX's shape. Because an array of shape () has shape (1,) here, `scalar` distinguishes the two cases. A
    length that the file leaves open is a `SymbolicDim`, and an array that contains one has dtype object. None: unknown.
    parameter: True for a tensor in the file, which may be trained.
    """

    array: Any
    name: str
    parameter: bool
    symbol: Symbol | None
    dtype: DType | None
    scalar: bool
    shape: tuple[Any, ...]

    __slots__ = ("array", "dtype", "name", "parameter", "scalar", "shape", "symbol")

    def __init__(self, name: str, array: Any = None, symbol: Symbol | None = None, shape: Any = None,
                 dtype: DType | None = None, scalar: bool = False, parameter: bool = False):
        self.name, self.array, self.symbol, self.parameter = name, array, symbol, parameter
        if array is not None:
            shape, dtype = array.shape, array.dtype if array.dtype != object else np.dtype("int64")
            scalar = array.ndim == 0
        self.shape, self.dtype, self.scalar = () if scalar else shape, dtype, scalar

    def __repr__(self) -> str:
        return f"<Value {self.name}: {'known' if self.array is not None else 'computed'} {self.shape} {self.dtype}>"


class Sequence(Value):
    """ONNX's sequence: a list of Values whose length is known when the file is read."""

    __slots__ = ("items",)

    def __init__(self, items: Any, name: str = ""):
        super().__init__(name)
        self.items: list[Any] = list(items)


class Facts:
    """Shapes and dtypes of a growing graph, inferred by the operators' own rules."""

    dtypes: dict[Any, Any]
    shapes: dict[Any, Any]

    def __init__(self):
        self.shapes, self.dtypes = {}, {}       # (node, output): ...
        self._asked = set()         # nodes
        self._names = {}            # name of a length in the file -> its SymbolicDim
        self._scope = Scope({})

    def length(self, called: Any) -> Any:
        """Returns the SymbolicDim for a length that the file leaves open, one per name."""
        if called not in self._names:
            name = f"n{len(self._names)}"       # the name in a file may be any string
            self._scope.names.append(name)
            self._scope.values[name], self._scope.least[name] = 101 + 2 * len(self._names), 2
            self._names[called] = self._scope.length(name)
        return self._names[called]

    def set(self, symbol: Symbol, shape: Any, dtype: DType) -> None:
        """Sets the shape and dtype of a variable."""
        self.shapes[symbol.heads[0]], self.dtypes[symbol.heads[0]] = shape, dtype
        self._asked.add(symbol.heads[0][0])

    def of(self, symbol: Symbol) -> tuple[Any, Any]:
        """Returns (shape, dtype) of a symbol with one output; None if one cannot be inferred."""
        pair = symbol.heads[0]
        if pair not in self.shapes:
            self._infer(symbol)
        return self.shapes.get(pair), self.dtypes.get(pair)

    def _infer(self, symbol):
        """Infers the shapes and dtypes of the new nodes, which come after the known ones."""
        new = topological(symbol.heads, lambda node: node not in self._asked)
        outside = {pair for node in new for pair in node.inputs if pair[0] in self._asked}
        for kind, infer, values in (("shape", infer_shapes, self.shapes), ("dtype", infer_dtypes, self.dtypes)):
            heads = [(pair, values[pair]) for pair in outside if values.get(pair) is not None]
            try:
                inferred = infer(new, {}, heads)
            except MXNetError:
                if kind == "shape" and any(map(_has_length, (value for _, value in heads))):
                    inferred = {}           # a shape that requires a number cannot be inferred from a name
                else:
                    raise
            for node in new:
                for index in range(node.op.num_outputs if node.op is not None else 1):
                    values[node, index] = inferred.get((node, index))
        self._asked.update(new)


def _has_length(shape):
    return shape is not None and any(isinstance(n, SymbolicDim) for n in shape)


def is_static(shape: Any) -> bool:
    """Returns whether the shape is known and all of its lengths are numbers."""
    return shape is not None and all(isinstance(n, (int, np.integer)) for n in shape)


def same_length(a: Any, b: Any) -> Any:
    """Returns whether two lengths are the same for all sizes."""
    if isinstance(a, SymbolicDim) or isinstance(b, SymbolicDim):
        return isinstance(a, SymbolicDim) and isinstance(b, SymbolicDim) and a.terms == b.terms
    return a is not None and a == b
