"""A node of a graph that stands for a function of the table.

Before the graph is compiled, `hybrid/expand.py` expands it.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as onp

from ..base import MXNetError
from ..ops.graph.interpreted_op import Composite
from ..ops.shapes import is_known
from ..ops.symbolic_dimensions import has_symbolic_dim
from ..symbol import register
from ..symbol.graph import Node
from ..symbol.infer import infer_shapes
from ..symbol.symbol import Symbol
from .errors import named_errors
from .nodes import host_functions
from .nodes.placeholder import filled
from .nodes.types import types_of
from .table import FUNCTIONS
from .traced_symbols import Written, writing

__all__ = ["NumpyFunction", "count_outputs", "is_there", "signature_of"]

# Bitwise functions, which NumPy computes for integers, and the rows that compute the same thing for booleans.
_OF_BOOLEANS = {"bitwise_and": "logical_and", "bitwise_or": "logical_or", "bitwise_xor": "logical_xor",
                "bitwise_not": "logical_not", "invert": "logical_not"}
_FLOAT = onp.dtype("float32")


def is_there(function: str) -> bool:
    """Return whether a graph can contain a call of the function."""
    return function in FUNCTIONS or function in host_functions.NAMES


def signature_of(function: str) -> Any:
    """Return the signature of a function that is in the table or computed by NumPy."""
    return FUNCTIONS[function].signature if function in FUNCTIONS else host_functions.signature_of(function)


class NumpyFunction(Composite):
    """A call of a function of `mx.np`, MXNet's `_npi_...`: its name, and its arguments with placeholders for inputs."""

    @classmethod
    def complete(cls, attributes: Any) -> dict[str, Any]:
        """Return the attributes as given, and the arguments as text, in which 2 differs from 2.0 and 0.0 from -0.0."""
        return {**attributes, "text": repr(attributes["given"])}

    @property
    def attributes(self) -> dict[str, Any]:
        return {key: self.__dict__[key] for key in ("name", "function", "given", "num_outputs", "random")}

    def has_graph(self, specs: Sequence[Any]) -> bool:
        return self.function in FUNCTIONS or self.function in _OF_BOOLEANS and \
            len(specs) > 0 and all(spec.dtype.kind == "b" for spec in specs)

    def require_count(self, count: int, absent: Sequence[int] = ()) -> None:
        """Do nothing, because the number of inputs is that of the placeholders."""

    def expand(self, F: Any, inputs: Sequence[Any]) -> list[Any]:
        with named_errors(f"np.{self.function}", self.given):
            return self._expand(F, inputs)

    def _expand(self, F, inputs):
        given = {name: filled(value, inputs) for name, value in self.given}
        row = FUNCTIONS.get(self.function)
        if row is None and inputs and all(onp.dtype(x.dtype).kind == "b" for x in inputs):
            row = FUNCTIONS.get(_OF_BOOLEANS.get(self.function, ""))
        if row is None:
            return host_functions.computed(self.function, given, self.num_outputs)
        if isinstance(given.get("obj"), tuple) and given["obj"][:1] == ("slice",):
            given["obj"] = slice(*given["obj"][1:])
        args: list[Any] = []
        parameters = row.signature.parameters
        several = next((name for name, p in parameters.items() if p.kind is p.VAR_POSITIONAL), None)
        if several is not None:             # the parameters before `several` are then passed by position
            args = [given.pop(name) for name in itertools.takewhile(several.__ne__, parameters)]
            args += given.pop(several, ())
        result = row.call(F, *args, **given)
        return list(result) if isinstance(result, (list, tuple)) else [result]

    def expansion(self, specs: Sequence[Any]) -> tuple[Sequence[Any], Any]:
        return _expansion(self, [(spec.shape, spec.dtype) for spec in specs])

    def infer_shape(self, *shapes: Any) -> Any:
        """Return the shapes of the results once those of the inputs are known; they do not depend on types."""
        if not all(map(is_known, shapes)):
            return shapes, [None] * self.num_outputs
        if self.function not in FUNCTIONS:
            with named_errors(f"np.{self.function}", self.given):
                return shapes, host_functions.shapes_of(self.function, dict(self.given), shapes, self.num_outputs)
        _, graph = _expansion(self, [(shape, _FLOAT) for shape in shapes])
        found = infer_shapes(graph.nodes(), {})
        return shapes, [found[pair] for pair in graph.heads]

    def infer_dtype(self, *dtypes: Any) -> Any:
        """Return the types of the results, to the extent that those of the inputs are known."""
        with named_errors(f"np.{self.function}", self.given):
            return dtypes, types_of(self.function, dict(self.given), dtypes, self.num_outputs)


def count_outputs(name: str, given: Mapping[str, Any]) -> int:
    """Return the number of results of a call, which must not depend on shapes.

    Raises MXNetError for a function whose number of results depends on shapes.
    """
    if name in _COUNTS:
        return _COUNTS[name]
    if name in ("broadcast_arrays", "atleast_1d", "atleast_2d", "atleast_3d", "meshgrid"):
        return len(next(iter(given.values()), ()))
    if "split" in name:
        parts = given.get("indices_or_sections")
        return parts if isinstance(parts, int) else len(parts or ()) + 1
    if name == "unique":
        return 1 + sum(bool(given.get(key)) for key in ("return_index", "return_inverse", "return_counts"))
    if name == "linalg.qr":
        return 1 if given.get("mode") == "r" else 2
    return 2 if name == "average" and given.get("returned") else 1


_COUNTS = {"linalg.eigh": 2, "linalg.slogdet": 2, "linalg.eig": 2, "linalg.svd": 3, "linalg.lstsq": 4,
           "histogram": 2, "divmod": 2, "modf": 2, "frexp": 2}


def _expansion(op: NumpyFunction, specs: Any) -> Any:
    """Return (variables, graph) for inputs with these shapes and types; graphs with open lengths are not cached."""
    is_open = any(has_symbolic_dim(shape) for shape, _ in specs)
    return _written(op, specs) if is_open else _kept(op, tuple(specs), register.compose)


def _written(op: NumpyFunction, specs: Any, compose: Any = None) -> Any:
    """Return the result of `_expansion`. compose: the function that creates nodes, which `amp.init` replaces."""
    variables = [Node(None, f"input{i}", (), {}, shape, onp.dtype(dtype)) for i, (shape, dtype) in enumerate(specs)]
    outputs = op.expand(writing, [Written([(variable, 0)]) for variable in variables])
    if len(outputs) != op.num_outputs:
        raise MXNetError(f"{op.name} has {len(outputs)} results for inputs of shapes "
                         f"{', '.join(str(shape) for shape, _ in specs)}, expected {op.num_outputs}")
    return variables, Symbol([head for output in outputs for head in output.heads])


_kept = functools.lru_cache(4096)(_written)
