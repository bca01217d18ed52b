"""Shape and element-type inference over a graph: every operator completes what it knows, until nothing moves."""

from ..base import DTypeError, MXNetError, ShapeError
from ..ops import Op
from ..ops.array.sources import Filled
from ..ops.graph.control import ControlOp
from ..ops.math.broadcast import Broadcast
from ..ops.shapes import is_known, merge
from .graph import Node, substitute

__all__ = ["infer_dtypes", "infer_open_shapes", "infer_shapes", "settle"]

MAX_ROUNDS = 100


def infer_shapes(nodes, known, heads=()):
    """{(node, output): shape} from `known`, {variable name: shape}. None stands for what does not follow.

    nodes: in topological order. heads: ((node, output), shape) pairs that are known besides. Raises ShapeError, naming
    the node and its inputs.
    """
    start = {}
    for node in nodes:
        if node.op is None:
            start[node, 0] = merge(known.get(node.name), node.shape)
            if start[node, 0] is False:
                raise ShapeError(f"variable {node.name!r} is declared with shape {node.shape}, "
                                 f"but {known[node.name]} was given", node.name)
    for (node, index), shape in heads:
        merged = merge(start.get((node, index)), shape)
        if merged is False:
            raise ShapeError(f"variable {node.name!r} has shape {start[node, index]}, but {shape} is expected of it")
        start[node, index] = merged
    found = _fixed_point(nodes, start, _complete_shapes)
    if all(is_known(found[node, 0]) for node in nodes if node.op is None):
        found = _decide_open(nodes, found)
    return found


def infer_open_shapes(nodes, known):
    """`infer_shapes` for shapes in which 0 may stand for a length that is not known, as programs for MXNet write it.

    A length that nothing determines is 0, if the graph accepts that.
    """
    if not any(0 in shape for shape in known.values()):
        return infer_shapes(nodes, known)
    found = infer_shapes(nodes, {name: tuple([n or None for n in shape]) for name, shape in known.items()})
    told = {node.name: found[node, 0] for node in nodes if node.op is None and node.name in known}
    lengths = {name: tuple([n or 0 for n in shape]) for name, shape in told.items()}
    if lengths == told:
        return found
    try:
        return infer_shapes(nodes, lengths)
    except ShapeError:
        return found            # such as an image of no height under a kernel


def _decide_open(nodes, found):
    """Decide the lengths that operators without inputs leave to the graph and that the inputs do not determine.

    A result that is broadcast against another has that one's length. A length that even this does not tell is 0, a
    length like any other.
    """
    left = [node for node in nodes if isinstance(node.op, Filled) and node.op.default_shape]
    if any(None in found[node, 0] for node in left):
        found = _fixed_point(nodes, found, _complete_equal)
    zeros = {(node, 0): tuple([n or 0 for n in found[node, 0]]) for node in left if None in found[node, 0]}
    return _fixed_point(nodes, {**found, **zeros}, _complete_shapes) if zeros else found


def _complete_equal(node, inputs, outputs):
    if isinstance(node.op, Broadcast) and None not in inputs and len(inputs[0]) == len(inputs[1]):
        inputs = [tuple([n if m is None else m for m, n in zip(one, other, strict=True)])
                  for one, other in (inputs, inputs[::-1])]
    return _complete_shapes(node, inputs, outputs)


def infer_dtypes(nodes, known, heads=()):
    """{(node, output): dtype} from `known`, {variable name: dtype}. heads: ((node, output), dtype) known besides."""
    start = {(n, 0): known.get(n.name, n.dtype) for n in nodes if n.op is None}
    start.update((pair, dtype) for pair, dtype in heads if start.get(pair) is None)
    return _fixed_point(nodes, start, _complete_dtypes)


def settle(symbol, shapes):
    """The graph with the shapes that inference has found for operators that left lengths to it: `Filled.default_shape`.

    shapes: {variable name: shape}.
    """
    nodes = symbol.nodes()
    left = [node for node in nodes if isinstance(node.op, Filled) and node.op.default_shape]
    if not left:
        return symbol
    found = infer_shapes(nodes, shapes)
    filled = {node: (Node(node.op.with_shape(found[node, 0]), node.name, (), dict(node.attrs)), 0) for node in left
              if is_known(found[node, 0])}
    return type(symbol)(substitute(symbol.heads, filled))


def _complete_shapes(node, inputs, outputs):
    if isinstance(node.op, Filled) and node.op.default_shape:
        return [], [node.op.default_shape]
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
        raise DTypeError(f"{error}\n  node: {node.name!r}") from None


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
    error.add(f"node: {node.name!r}")
    error.add("inputs: " + ", ".join(f"{arg} = {parent.name!r} {shape}" for arg, (parent, _), shape in named))
    return error


def _fixed_point(nodes, found, complete):
    """Repeat the operators' rules, which fill inputs as well as outputs, until a round changes nothing.

    Every second round goes from the last node to the first: so a chain of any length, known at one end, takes one.
    """
    found = _Found(found)
    operators = [node for node in nodes if node.op is not None]
    for _ in range(MAX_ROUNDS):
        changed = False
        for node in operators:
            known = [found[node, i] for i in range(node.op.num_outputs)]
            inputs, outputs = complete(node, [found[pair] for pair in node.inputs], known)
            pairs = [*node.inputs, *((node, i) for i in range(len(outputs)))]
            for pair, value in zip(pairs, [*inputs, *outputs], strict=True):
                value = merge(found[pair], value) if isinstance(value, tuple) else value
                if value is False:
                    raise ShapeError(f"{node.op.name}: shapes contradict each other at node {node.name!r}: "
                                     f"{found[pair]} was found before")
                # `is None` first: numpy.dtype("float64") equals None
                if value is not None and (found[pair] is None or found[pair] != value):
                    found[pair] = value
                    changed = True
        if not changed:
            return found
        operators.reverse()
    raise MXNetError(f"inference did not settle after {MAX_ROUNDS} rounds")


class _Found(dict):
    """What is not in the dict is unknown."""

    def __missing__(self, pair):
        return None
