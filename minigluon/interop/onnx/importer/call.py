"""One node of an ONNX graph, as seen by the function that translates it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ....ops.symbolic_dimensions import SymbolicDim
from .table import NotRepresentableError
from .values import is_static

if TYPE_CHECKING:
    from ....symbol import Symbol
    from ....symbol.graph import Node

__all__ = ["Call"]

REQUIRED = object()


class Call:
    """A node with its inputs as Values.

    opset: the opset of the node's domain. inputs: one Value per input, None for an omitted input. outputs: the names.
    """

    attributes: Any
    graph: Any
    inputs: Any
    node: Node
    opset: int

    def __init__(self, graph: Any, node: Node, inputs: Any, attributes: Any, opset: int):
        self.graph, self.node, self.inputs, self.attributes, self.opset = graph, node, inputs, attributes, opset
        self.outputs: list[Any] = list(node.output)
        while self.outputs and not self.outputs[-1]:
            self.outputs.pop()

    @property
    def type(self):
        return self.node.op_type

    def refuse(self, reason: str, *inputs: Any) -> NotRepresentableError:
        """Returns the error for a node without a counterpart. inputs: names of values that would have to be known."""
        return NotRepresentableError(reason, inputs)

    def attribute(self, name: str, default: object = REQUIRED) -> Any:
        """Returns an attribute, or `default` if the node does not have it."""
        if name in self.attributes:
            return self.attributes[name]
        if default is REQUIRED:
            raise self.refuse(f"the attribute {name} is missing")
        return default

    def choice(self, name: str, *allowed: Any, default: Any = None) -> Any:
        """Returns an attribute whose value must be one of `allowed`; the first of these is the default."""
        value = self.attribute(name, allowed[0] if default is None else default)
        if value not in allowed:
            raise self.refuse(f"{name}={value!r} has no counterpart; supported are {', '.join(map(repr, allowed))}")
        return value

    # -- inputs -----------------------------------------------------------------------------------------------------

    def has(self, index: int) -> bool:
        """Returns whether the node has an input with this index."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def value(self, index: int) -> Any:
        """Returns the Value of an input."""
        if not self.has(index):
            raise self.refuse(f"input {index} is missing")
        return self.inputs[index]

    def data(self, index: int = 0) -> Any:
        """Returns the symbol of an input; known numbers become a parameter."""
        return self.graph.symbol(self.value(index))

    def all_data(self) -> list[Any]:
        """Returns the symbols of all inputs."""
        return [self.data(index) for index in range(len(self.inputs))]

    def dtype(self, index: int = 0) -> Any:
        """Returns the dtype of an input, or float32 if the file does not specify it."""
        return self.value(index).dtype or np.dtype("float32")

    def is_bool(self, index: int = 0) -> Any:
        """Returns whether an input is boolean."""
        return self.dtype(index).kind == "b"

    def shape(self, index: int = 0) -> Any:
        """Returns the shape of an input, whose rank must be known."""
        value = self.value(index)
        if value.shape is None:
            raise self.refuse(f"the number of axes of {value.name!r} does not follow from the file")
        return value.shape

    def rank(self, index: int = 0) -> int:
        """Returns the rank of an input."""
        return len(self.shape(index))

    def static_shape(self, index: int = 0) -> tuple[int, ...]:
        """Returns the shape of an input, whose lengths must all be numbers."""
        shape = self.shape(index)
        if not is_static(shape):
            raise self.refuse(f"all lengths of {self.value(index).name!r} must be numbers, found {shape}")
        return tuple(map(int, shape))

    def length(self, axis: int, index: int = 0) -> int:
        """Returns the length of an input's axis, which must be a number."""
        length = self.shape(index)[axis]
        if not isinstance(length, (int, np.integer)):
            raise self.refuse(f"length {axis} of {self.value(index).name!r} must be a number, found {length}")
        return int(length)

    def is_known(self, index: int) -> bool:
        """Returns whether the input is a known array."""
        return self.has(index) and self.value(index).array is not None

    def constant(self, index: int) -> Any:
        """Returns the numbers in an input, which must be known when the file is read."""
        value = self.value(index)
        if value.array is None:
            raise self.refuse(f"its input {value.name!r} decides shapes, so it must be known when the file is read",
                              *self.graph.whole_inputs(value))
        return value.array

    def integers(self, name: str, index: int, default: Any = None) -> Any:
        """Returns a list of integers that is an attribute in older opsets and an input in newer ones.

        SymbolicDims remain.
        """
        if name in self.attributes:
            items = self.attributes[name]
            return list(items) if isinstance(items, (list, tuple, np.ndarray)) else [items]
        if not self.has(index):
            return default
        return [n if isinstance(n, SymbolicDim) else int(n) for n in np.atleast_1d(self.constant(index))]

    def number(self, index: int) -> Any:
        """Returns an input's only number if it is known, has rank 0 or is not a parameter, and fits in an operator."""
        value = self.value(index)
        array = value.array
        if array is None or array.size != 1 or (value.parameter and array.ndim):
            return None
        number = array.item()
        return None if isinstance(number, SymbolicDim) or abs(number) >= 1 << 53 else number

    def axis(self, axis: int, index: int = 0, more: int = 0) -> int:
        """Returns an axis, counted from the front."""
        rank = self.rank(index) + more
        if not -rank <= axis < max(rank, 1):
            raise self.refuse(f"axis {axis} of an array of rank {rank}")
        return axis % rank if rank else 0

    def allow(self, count: int) -> None:
        """Raises NotRepresentableError if this node needs more elements than are left in the file's budget."""
        self.graph.budget.take(count)

    def allow_nodes(self, count: int) -> None:
        """Like `allow`, for nodes of the new graph, each of which costs as much as a few hundred elements."""
        self.allow(200 * count)

    def whole(self, index: int = 0) -> Any:
        """Returns the `quantized.wholes.Whole` that an input was dequantized from, or None."""
        value = self.inputs[index] if self.has(index) else None
        return None if value is None or value.symbol is None else self.graph.wholes.get(value.symbol.heads[0])

    # -- results ----------------------------------------------------------------------------------------------------

    def shape_of(self, symbol: Symbol) -> Any:
        """Returns the shape of an intermediate symbol."""
        return self.graph.facts.of(symbol)[0]

    def parameter(self, array: Any, what: str) -> Any:
        """Returns a symbol for numbers derived from the file. what: the suffix of its name."""
        return self.graph.parameter(f"{self.outputs[0]}_{what}", array)

    def scalar(self, symbol: Symbol) -> Symbol:
        """Marks a result with one element as having rank 0."""
        self.graph.scalars.add(symbol.heads[0])
        return symbol
