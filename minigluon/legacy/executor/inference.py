"""Inference of the shapes and dtypes of all variables in a graph from those of some of the variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...base import ArgumentError, ShapeError, integer_types, listed, nearest
from ...common.dtypes import as_dtype
from ...symbol import infer
from ...symbol.graph import variables
from ...symbol.inference import infer_given_shapes

if TYPE_CHECKING:
    from ...ndarray import NDArray

__all__ = ["infer_dtypes", "infer_outputs", "infer_shapes"]


def infer_shapes(symbol: Any, named_shapes: dict[str, Any], caller: str) -> dict[str, Any]:
    """Return {variable: shape} given some shapes; as in MXNet, names that are not in the graph are ignored.

    Raises ShapeError with the node's name or the shapes that cannot be inferred.
    """
    input_shapes = {}
    for name, shape in named_shapes.items():
        lengths = (shape,) if isinstance(shape, integer_types) else shape
        if not isinstance(lengths, (tuple, list)) or not all(isinstance(d, integer_types) and d >= -1
                                                           for d in lengths):
            raise ArgumentError(f"{caller}: the shape of {name!r} is {shape!r}, expected a tuple of integers")
        input_shapes[name] = tuple(map(int, lengths))
    given_text = listed(f"{name} {shape}" for name, shape in input_shapes.items())
    inputs = set(symbol.list_inputs())
    try:
        nodes = symbol.nodes()
        shapes = infer_given_shapes(nodes, {n: s for n, s in input_shapes.items() if n in inputs})
    except ShapeError as error:
        raise error.add(f"given: {given_text}") from None
    inferred = {node.name: shapes[node, 0] for group in variables(nodes) for node in group}
    unknown = [f"{n} {_shape_text(s)}" for n, s in inferred.items() if s is None or None in s]
    if unknown:
        raise ShapeError(f"{caller}: the shapes of {listed(unknown)} do not follow from the given ones: {given_text}. "
                         f"Give them by name, as in {caller}(data=(2, 3)).{_strangers(input_shapes, inputs)}")
    return inferred


def _strangers(names, inputs):
    """Return the given names that are not in the graph, for a message."""
    return "".join(f" The graph has no {name!r}.{nearest(name, inputs)}" for name in names if name not in inputs)


def _shape_text(shape):
    return "?" if shape is None else str(shape).replace("None", "?")


def infer_dtypes(symbol: Any, named_dtypes: dict[Any, Any]) -> dict[Any, Any]:
    """Return {variable: dtype} with the given and inferred dtypes, and float32 for all other variables."""
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    input_dtypes = {name: as_dtype(dtype) for name, dtype in named_dtypes.items() if name in names}
    while True:
        found_args, _, found_aux = symbol.infer_type(**input_dtypes)
        dtypes = dict(zip(names, [*found_args, *found_aux], strict=True))
        unknown = [name for name, dtype in dtypes.items() if dtype is None]
        if not unknown:
            return dtypes
        input_dtypes[unknown[0]] = as_dtype("float32")     # the remaining dtypes may follow from this one


def infer_outputs(symbol: Any, arrays: dict[str, NDArray]) -> list[tuple[Any, Any]]:
    """Return [(shape, dtype)] for the outputs, from {variable: NDArray}; None for a length that depends on values.

    Raises ShapeError or DTypeError with the node's name if the arrays do not match.
    """
    nodes = symbol.nodes()
    shapes_of = infer.infer_shapes(nodes, {name: x.shape for name, x in arrays.items()})    # here, 0 is a length
    shapes = [shapes_of[pair] for pair in symbol.heads]
    _, dtypes, _ = symbol.infer_type(**{name: x.dtype for name, x in arrays.items()})
    return list(zip(shapes, dtypes, strict=True))
