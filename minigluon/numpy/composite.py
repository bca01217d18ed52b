"""A function of the table as a node of a graph. Before the graph is compiled, `hybrid/expand.py` writes it out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as onp

from .. import symbol
from ..base import MXNetError
from ..ops.graph.interpreted_op import Composite
from ..ops.shapes import is_known
from ..symbol.graph import Node
from ..symbol.infer import infer_dtypes, infer_shapes
from ..symbol.symbol import Symbol
from .table import FUNCTIONS

__all__ = ["NumpyFunction", "Place", "Written", "count_outputs", "writing"]

_FLOAT = onp.dtype("float32")


class Place:
    """The place of an input among the arguments of a call."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and other.index == self.index

    def __hash__(self) -> int:
        return hash(("input", self.index))

    def __repr__(self) -> str:
        return f"<input {self.index}>"


class NumpyFunction(Composite):
    """A call of a function of `mx.np`, MXNet's `_npi_...`: its name, and its arguments with places for the inputs."""

    @classmethod
    def complete(cls, attributes: Any) -> dict[str, Any]:
        """Return the attributes as given: the function, its arguments, and the number of its outputs."""
        return dict(attributes)

    @property
    def attributes(self) -> dict[str, Any]:
        return {key: self.__dict__[key] for key in ("function", "args", "keywords", "num_outputs")}

    @property
    def name(self) -> str:
        return f"_npi_{self.function}"

    def expand(self, F: Any, inputs: Sequence[Any]) -> list[Any]:
        args = _filled(self.args, inputs)
        result = FUNCTIONS[self.function].call(F, *args, **{key: _filled(x, inputs) for key, x in self.keywords})
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def expansion(self, specs: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        return _expansion(self, tuple([(spec.shape, spec.dtype) for spec in specs]))

    def infer_shape(self, *shapes: Any) -> Any:
        """Return the shapes of the results once those of the inputs are known; types do not matter for them."""
        if not all(map(is_known, shapes)):
            return shapes, [None] * self.num_outputs
        _, graph = _expansion(self, tuple([(shape, _FLOAT) for shape in shapes]))
        found = infer_shapes(graph.nodes(), {})
        return shapes, [found[pair] for pair in graph.heads]

    def infer_dtype(self, *dtypes: Any) -> Any:
        """Return nothing new: the types of the results follow when the function is written out."""
        return dtypes, [None] * self.num_outputs


def count_outputs(name: str, args: Sequence[Any], keywords: dict[str, Any]) -> int:
    """Return how many results a call has; it must not depend on shapes.

    Raises MXNetError for a function whose number of results does.
    """
    if name in ("linalg.eigh", "linalg.qr", "linalg.slogdet", "linalg.svd"):
        return 3 if name == "linalg.svd" else 2
    if name == "broadcast_arrays" or name in ("atleast_1d", "atleast_2d", "atleast_3d") and len(args) > 1:
        return len(args)
    if name in ("split", "array_split", "vsplit", "hsplit", "dsplit"):
        parts = keywords.get("indices_or_sections", args[1] if len(args) > 1 else None)
        return parts if isinstance(parts, int) else len(parts) + 1
    if name == "average" and keywords.get("returned", len(args) > 3 and args[3]):
        return 2
    return 1


def _filled(value: Any, inputs: Sequence[Any]) -> Any:
    """Return arguments with the inputs at their places."""
    if isinstance(value, Place):
        return inputs[value.index]
    if isinstance(value, tuple):
        return tuple([_filled(part, inputs) for part in value])
    return value


@functools.lru_cache(4096)
def _expansion(op: NumpyFunction, specs: Any) -> Any:
    variables = [Node(None, f"input{i}", (), {}, shape, onp.dtype(dtype)) for i, (shape, dtype) in enumerate(specs)]
    outputs = op.expand(writing, [Written([(variable, 0)]) for variable in variables])
    if len(outputs) != op.num_outputs:
        raise MXNetError(f"{op.name} has {len(outputs)} results for inputs of shapes "
                         f"{', '.join(str(shape) for shape, _ in specs)}, expected {op.num_outputs}")
    return variables, Symbol([head for output in outputs for head in output.heads])


class Written(Symbol):
    """A symbol inside an expansion: its shape and type are known, as those of its inputs are."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return infer_shapes(self.nodes(), {})[self.heads[0]]

    @property
    def dtype(self) -> Any:
        """The element type."""
        return infer_dtypes(self.nodes(), {})[self.heads[0]]

    @property
    def size(self) -> int:
        """The number of elements."""
        return int(onp.prod(self.shape))


class _Written:
    """`sym`, whose functions return `Written` symbols."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        function = getattr(symbol, name)

        def write(*args: Any, **kwargs: Any) -> Any:
            result = function(*args, **kwargs)
            if isinstance(result, Symbol) and len(result) > 1:
                return [Written([head]) for head in result.heads]
            return Written(result.heads)
        return write


writing = _Written()
