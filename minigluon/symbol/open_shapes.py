"""Shapes that the operators' rules leave open. They are derived from assumptions or from the needs of their users."""

# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, cast

from ..ops import Op
from ..ops.array.sources import ConstantSource, Source
from ..ops.math.broadcast import Broadcast
from ..ops.shapes import PartialShape, is_known
from .composition import substitute
from .graph import Node, Pair
from .infer import Values, _complete_shapes, _fixed_point, _memoized, infer_shapes, open_shapes

__all__ = ["resolve_source_shapes"]


def _assume(nodes: Sequence[Node], state: dict[Pair, Any]) -> dict[Pair, Any]:
    """Returns the shapes inferred under the assumption that Python's operators between two symbols do not broadcast.

    If these shapes determine those of all variables, the shapes that operators without inputs leave open are also
    decided.
    """
    state = _fixed_point(nodes, state, _memoized(partial(_complete_as_equal, _is_assumed_equal)))
    if all(is_known(state[node, 0]) for node in nodes if node.op is None):
        return _decide_open(nodes, state, [node for node in nodes if _leaves_shape(node)])
    return state


open_shapes.assume = _assume


def _leaves_shape(node: Node) -> bool:
    return isinstance(node.op, Source) and not is_known(node.op.graph_shape)


def _decide_open(nodes: Sequence[Node], state: dict[Pair, Any], open_nodes: list[Node]) -> dict[Pair, Any]:
    """Decides the shapes that operators without inputs leave to the graph and that the inputs do not determine.

    A result that is broadcast against another receives the other's length. A length that is still unknown becomes 0,
    and an unknown shape becomes ().
    """
    state = _fixed_point(nodes, state, _memoized(partial(_complete_as_equal, _broadcasts)))
    zeros: dict[Pair, Any] = {(node, 0): tuple([n or 0 for n in state[node, 0] or ()]) for node in open_nodes
             if isinstance(node.op, ConstantSource) and not is_known(state[node, 0])}
    return _fixed_point(nodes, {**state, **zeros}, _memoized(_complete_shapes)) if zeros else state


def _is_assumed_equal(op: Op | None) -> bool:
    """Returns whether a node is Python's operator between two symbols, with operands assumed to have equal shapes."""
    return isinstance(op, Broadcast) and op.assume_equal_shapes


def _broadcasts(op: Op | None) -> bool:
    return isinstance(op, Broadcast)


def _complete_as_equal(chosen: Callable[[Op | None], bool], node: Node, inputs: Values,
                       outputs: Values) -> tuple[Values, Values]:
    """Calls `_complete_shapes`; the chosen operators do not broadcast unknown shapes."""
    if chosen(node.op):
        lhs, rhs = inputs
        inputs = cast(Any, node.op).as_equal(lhs, rhs, outputs[0])
    return _complete_shapes(node, inputs, outputs)


def resolve_source_shapes(symbol: Any, shapes: Mapping[str, PartialShape]) -> Any:
    """Returns the graph with inferred shapes for the operators that left theirs open (see `Source.with_shape`).

    shapes: {variable name: shape}.
    """
    nodes: list[Node] = symbol.nodes()
    open_nodes = [node for node in nodes if _leaves_shape(node)]
    if not open_nodes:
        return symbol
    inferred = infer_shapes(nodes, shapes)
    filled: dict[Node, Pair] = {}
    for node in open_nodes:
        if is_known(inferred[node, 0]):
            op = cast(Any, node.op).with_shape(inferred[node, 0])
            filled[node] = Node(op, node.name, (), dict(node.attrs), place=node.place), 0
    return type(symbol)(substitute(symbol.heads, filled))
