"""Shape and element-type inference over a graph: every operator fills in what it can until nothing changes."""

# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from ..base import DTypeError, MXNetError, ShapeError
from ..diagnostics.told_lines import add_location, add_place_of_shape
from ..ops import Op
from ..ops.array.sources import Source
from ..ops.graph.control import ControlOp
from ..ops.shapes import PartialShape, fill, is_known, merge
from .graph import Node, Pair

__all__ = ["infer_dtypes", "infer_shapes", "open_shapes"]

MAX_ROUNDS = 100

Values = Sequence[Any]          # shapes, or dtypes; None if unknown
Complete = Callable[[Node, Values, Values], tuple[Values, Values]]     # values of inputs and outputs
Heads = Iterable[tuple[Pair, Any]]

open_shapes = SimpleNamespace(assume=None)      # completes shapes that the rules leave open (see `open_shapes.py`)


def infer_shapes(nodes: Sequence[Node], inputs: Mapping[str, PartialShape], heads: Heads = ()) -> dict[Pair, Any]:
    """Return {(node, output): shape} from `inputs`, {variable name: shape}; None if a shape cannot be inferred.

    nodes: in topological order. heads: ((node, output), shape) pairs that are also known. A shape in `inputs` takes
    precedence over the variable's declared shape, which completes it. Raises ShapeError, which names the node.
    """
    start: dict[Pair, Any] = {(node, 0): fill(inputs.get(node.name), node.shape) for node in nodes if node.op is None}
    for (node, index), shape in heads:
        merged = merge(start.get((node, index)), shape)
        if merged is False:
            raise ShapeError(f"variable {node.name!r} has shape {start[node, index]}, but {shape} is expected of it")
        start[node, index] = merged
    shapes = _fixed_point(nodes, start, _memoized(_complete_shapes))
    if all(is_known(shapes[node, 0]) for node in nodes if node.op is None or isinstance(node.op, Source)):
        return shapes
    return open_shapes.assume(nodes, shapes)


def infer_dtypes(nodes: Sequence[Node], dtypes: Mapping[str, np.dtype[Any] | None],
                 heads: Heads = ()) -> dict[Pair, Any]:
    """Return {(node, output): dtype} from `dtypes`, {variable name: dtype}. heads: known ((node, output), dtype)."""
    start: dict[Pair, Any] = {(n, 0): dtypes.get(n.name, n.dtype) for n in nodes if n.op is None}
    start.update((pair, dtype) for pair, dtype in heads if start.get(pair) is None)
    return _fixed_point(nodes, start, _memoized(_complete_dtypes))


def _memoized(complete: Complete) -> Complete:
    """Memoize `complete`, so that a rule runs once for the same operator and values, as in an unrolled network."""
    cache: dict[Any, tuple[Values, Values]] = {}

    def remembered(node: Node, inputs: Values, outputs: Values) -> tuple[Values, Values]:
        key = node.op, *inputs, *outputs
        if key not in cache:
            cache[key] = complete(node, inputs, outputs)
        return cache[key]
    return remembered


def _complete_shapes(node: Node, inputs: Values, outputs: Values) -> tuple[Values, Values]:
    op = cast(Op, node.op)
    if isinstance(op, Source):
        return [], [op.graph_shape]
    try:
        return op.infer_shape(*op.infer_inputs(inputs, outputs))
    except ShapeError as error:
        raise add_place_of_shape(error, node, inputs) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, MXNetError):
            raise
        problem = ShapeError(f"{op.name}: the output's shape cannot be told: {error}")
        raise add_place_of_shape(problem, node, inputs) from error


def _complete_dtypes(node: Node, inputs: Values, outputs: Values) -> tuple[Values, Values]:
    op = cast(Op, node.op)
    try:
        return op.infer_dtype(*_input_dtypes(op, inputs, outputs))
    except DTypeError as error:
        add_location(error, node)
        raise


def _input_dtypes(op: Op, dtypes: Values, outputs: Values) -> Values:
    """Return the inputs' types, completed from the outputs' types. For a loop or branch, infer them in its graphs."""
    if isinstance(op, ControlOp):
        return cast(Any, op).complete_dtypes(list(dtypes), list(outputs))[0]
    has_one = (op.elementwise and not op.mutates) or type(op).infer_dtype is Op.infer_dtype
    if outputs[0] is None or not has_one:
        return dtypes
    return [outputs[0] if dtype is None else dtype for dtype in dtypes]


def _fixed_point(nodes: Sequence[Node], start: Mapping[Pair, Any], complete: Complete) -> _FoundValues:
    """Repeat the operators' rules, which complete inputs as well as outputs, until a round changes nothing.

    Every second round goes from the last node to the first, so a chain known at one end is completed in one round. In a
    forward round, the outputs of fully known inputs are final and their users come later, so they require no new round.
    """
    values = _FoundValues(start)
    operators = [node for node in nodes if node.op is not None]
    for number in range(MAX_ROUNDS):
        changed = False
        for node in operators:
            pairs = [(node, i) for i in range(cast(Op, node.op).num_outputs)]
            input_values = [values[pair] for pair in node.inputs]
            inputs, outputs = complete(node, input_values, [values[pair] for pair in pairs])
            final = number % 2 == 0 and all(map(_is_whole, input_values))
            changed |= _add(values, node, node.inputs, inputs)
            changed |= _add(values, node, pairs[:len(outputs)], outputs) and not final
        if not changed:
            return values
        operators.reverse()
    raise MXNetError(f"inference did not settle after {MAX_ROUNDS} rounds")


def _is_whole(value: Any) -> bool:
    """Return whether a dtype, or a shape with all its dimensions, is known."""
    return value is not None and not (isinstance(value, tuple) and None in value)


def _add(state: dict[Pair, Any], node: Node, pairs: Sequence[Pair], values: Values) -> bool:
    """Add the values inferred for a node's inputs or outputs to `state`; return whether any of them is new."""
    changed = False
    for pair, value in zip(pairs, values, strict=True):
        old = state[pair]
        if value is None or value is old:
            continue
        value = merge(old, value) if isinstance(value, tuple) else value
        if value is False:
            problem = f"{cast(Op, node.op).name}: shapes contradict each other: {old} was found before"
            raise add_location(ShapeError(problem), node)
        if old is None or old != value:         # `is None` first: numpy.dtype("float64") equals None
            state[pair] = value
            changed = True
    return changed


class _FoundValues(dict[Pair, Any]):
    """A dict in which missing items count as unknown."""

    def __missing__(self, pair: Pair) -> None:
        return None
