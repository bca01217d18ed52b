"""Shape and element-type inference over a graph: every operator completes what it knows, until nothing moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from ..base import DTypeError, MXNetError, ShapeError
from ..common import shape_semantics as numpy_shape
from ..ops import Op
from ..ops.array.sources import Filled, Source
from ..ops.graph.control import ControlOp
from ..ops.math.broadcast import Alike, Broadcast
from ..ops.shapes import fill, is_known, merge
from .graph import Node, located, substitute

__all__ = ["infer_dtypes", "infer_given_shapes", "infer_shapes", "settle"]

MAX_ROUNDS = 100


def infer_shapes(nodes: Sequence[Node], known: dict[str, Any], heads: Sequence[Any] = ()) -> _Found:
    """{(node, output): shape} from `known`, {variable name: shape}. None stands for what does not follow.

    nodes: in topological order. heads: ((node, output), shape) pairs that are known besides. A shape in `known` goes
    before the one that the variable was declared with, which fills its gaps. Raises ShapeError, naming the node and its
    inputs.
    """
    start = {(node, 0): fill(known.get(node.name), node.shape) for node in nodes if node.op is None}
    for (node, index), shape in heads:
        merged = merge(start.get((node, index)), shape)
        if merged is False:
            raise ShapeError(f"variable {node.name!r} has shape {start[node, index]}, but {shape} is expected of it")
        start[node, index] = merged
    found = _fixed_point(nodes, start, _asked_once(_complete_shapes))
    variables, left = [node for node in nodes if node.op is None], [node for node in nodes if _leaves_shape(node)]
    if all(is_known(found[node, 0]) for node in [*variables, *left]):
        return found
    found = _fixed_point(nodes, found, _asked_once(partial(_complete_as_equal, Alike)))
    return _decide_left(nodes, found, left) if all(is_known(found[node, 0]) for node in variables) else found


def infer_given_shapes(nodes: Sequence[Node], given: dict[str, Any]) -> _Found:
    """`infer_shapes` from shapes as the program writes them: see `numpy_shape`.

    A length written as 0, or a shape as (), that nothing determines is just that, if the graph accepts it.
    """
    known = {name: numpy_shape.read(shape) for name, shape in given.items()}
    found = infer_shapes(nodes, known)
    told = {node.name: found[node, 0] for node in nodes if node.op is None and node.name in given}
    literal = {name: fill(told[name], tuple([0 if n == 0 else None for n in given[name]])) for name in told}
    if literal == told:
        return found
    try:
        return infer_shapes(nodes, literal)
    except ShapeError:
        return found            # such as an image of no height under a kernel


def _leaves_shape(node):
    return isinstance(node.op, Source) and not is_known(node.op.graph_shape)


def _decide_left(nodes, found, left):
    """Decide the shapes that operators without inputs leave to the graph and that the inputs do not determine.

    A result that is broadcast against another has that one's length. A length that even this does not tell is 0, a
    length like any other, and a shape ().
    """
    found = _fixed_point(nodes, found, _asked_once(partial(_complete_as_equal, Broadcast)))
    zeros = {(node, 0): tuple([n or 0 for n in found[node, 0] or ()]) for node in left
             if isinstance(node.op, Filled) and not is_known(found[node, 0])}
    return _fixed_point(nodes, {**found, **zeros}, _asked_once(_complete_shapes)) if zeros else found


def _complete_as_equal(kind, node, inputs, outputs):
    """`_complete_shapes`, in which operators of that kind broadcast nothing where something is unknown."""
    if isinstance(node.op, kind):
        inputs = node.op.as_equal(*inputs, outputs[0])
    return _complete_shapes(node, inputs, outputs)


def infer_dtypes(nodes: Sequence[Node], known: dict[str, np.dtype[Any]], heads: Sequence[Any] = ()) -> _Found:
    """{(node, output): dtype} from `known`, {variable name: dtype}. heads: ((node, output), dtype) known besides."""
    start = {(n, 0): known.get(n.name, n.dtype) for n in nodes if n.op is None}
    start.update((pair, dtype) for pair, dtype in heads if start.get(pair) is None)
    return _fixed_point(nodes, start, _asked_once(_complete_dtypes))


def settle(symbol: Any, shapes: dict[str, Any]) -> Any:
    """The graph with the shapes that inference has found for operators that left theirs to it: `Source.with_shape`.

    shapes: {variable name: shape}.
    """
    nodes = symbol.nodes()
    left = [node for node in nodes if _leaves_shape(node)]
    if not left:
        return symbol
    found = infer_shapes(nodes, shapes)
    filled = {node: (Node(node.op.with_shape(found[node, 0]), node.name, (), dict(node.attrs),
                          place=node.place), 0) for node in left
              if is_known(found[node, 0])}
    return type(symbol)(substitute(symbol.heads, filled))


def _asked_once(complete):
    """`complete`, which asks a rule once for the same operator and values: the steps of an unrolled network are alike.
    """
    told = {}

    def remembered(node, inputs, outputs):
        key = node.op, *inputs, *outputs
        if key not in told:
            told[key] = complete(node, inputs, outputs)
        return told[key]
    return remembered


def _complete_shapes(node, inputs, outputs):
    if isinstance(node.op, Source):
        return [], [node.op.graph_shape]
    try:
        return node.op.infer_shape(*node.op.infer_inputs(inputs, outputs))
    except ShapeError as error:
        raise _located(error, node, inputs) from None
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, MXNetError):
            raise
        problem = ShapeError(f"{node.op.name}: the output's shape cannot be told: {error}")
        raise _located(problem, node, inputs) from error


def _complete_dtypes(node, inputs, outputs):
    try:
        return node.op.infer_dtype(*_input_dtypes(node.op, inputs, outputs))
    except DTypeError as error:
        located(error, node)
        raise


def _input_dtypes(op, found, outputs):
    """The inputs' types completed from those of the outputs, before `infer_dtype` is asked.

    An elementwise operator, or one that inherits `infer_dtype`, has its output's type; a loop or branch asks its
    graphs; others tell nothing.
    """
    if isinstance(op, ControlOp):
        return op.complete_dtypes(list(found), list(outputs))[0]
    has_one = (op.elementwise and not op.mutates) or type(op).infer_dtype is Op.infer_dtype
    if outputs[0] is None or not has_one:
        return found
    return [outputs[0] if dtype is None else dtype for dtype in found]


def _located(error, node, inputs):
    """A shape error that tells where in the graph it is."""
    named = list(zip(node.op.argument_names(len(inputs)), node.inputs, inputs, strict=True))
    error.variable = next((p.name for arg, (p, _), _ in named if arg == error.argument and p.op is None), None)
    located(error, node)
    error.add("inputs: " + ", ".join(f"{arg} = {parent.name!r} {shape}" for arg, (parent, _), shape in named))
    return error


def _fixed_point(nodes, found, complete):
    """Repeat the operators' rules, which fill inputs as well as outputs, until a round changes nothing.

    Every second round goes from the last node to the first: so a chain of any length, known at one end, takes one.
    On the way forward, what follows from whole inputs is final, and its users come later: it asks for no other round.
    """
    found = _Found(found)
    operators = [node for node in nodes if node.op is not None]
    for number in range(MAX_ROUNDS):
        changed = False
        for node in operators:
            pairs = [(node, i) for i in range(node.op.num_outputs)]
            given = [found[pair] for pair in node.inputs]
            inputs, outputs = complete(node, given, [found[pair] for pair in pairs])
            final = number % 2 == 0 and all(map(_is_whole, given))
            changed |= _add(found, node, node.inputs, inputs)
            changed |= _add(found, node, pairs[:len(outputs)], outputs) and not final
        if not changed:
            return found
        operators.reverse()
    raise MXNetError(f"inference did not settle after {MAX_ROUNDS} rounds")


def _is_whole(value):
    """Is a shape known with all its dimensions, or a dtype at all?"""
    return value is not None and not (isinstance(value, tuple) and None in value)


def _add(found, node, pairs, values):
    """Put what a node tells of these inputs or outputs into `found`; True where any of it is new."""
    changed = False
    for pair, value in zip(pairs, values, strict=True):
        old = found[pair]
        if value is None or value is old:
            continue
        value = merge(old, value) if isinstance(value, tuple) else value
        if value is False:
            raise located(ShapeError(f"{node.op.name}: shapes contradict each other: {old} was found before"), node)
        if old is None or old != value:         # `is None` first: numpy.dtype("float64") equals None
            found[pair] = value
            changed = True
    return changed


class _Found(dict):
    """What is not in the dict is unknown."""

    def __missing__(self, pair: Sequence[Any]) -> None:
        return None
