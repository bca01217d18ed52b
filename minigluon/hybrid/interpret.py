"""The interpreter: computes a graph node by node with the operators of `nd`, which the tape records.

It is the simple counterpart of plans, which tests compare with it. It runs what plans cannot: operators whose result
shapes depend on values, loops and branches that depend on values, and gradients of gradients.
"""

from ..base import MXNetError
from ..context import current_context
from ..ndarray.creators import create
from ..ndarray.custom import run_custom
from ..ndarray.sparse import run_any
from ..ops.graph.control import ControlOp
from ..ops.graph.custom import Custom
from ..ops.graph.interpreted_op import Composite
from ..providers import ask
from ..symbol.graph import error_location, run_order
from ..symbol.open_shapes import resolve_source_shapes
from .control import run_control

__all__ = ["interpret"]


def interpret(symbol, values, callback=None, device_of=None):
    """Returns the outputs as a list of NDArrays, from {variable name: NDArray}.

    callback(node, outputs): called after each operator, with its hidden outputs. device_of(node): the device of an
    operator, to which its inputs are copied; without it, all arrays are on one device. Raises MXNetError with the
    variable's name if it has no value.
    """
    ctx = next(iter(values.values())).context if values else current_context()
    computed = {}
    symbol = resolve_source_shapes(symbol, {name: x.shape for name, x in values.items()})
    for node in run_order(symbol.heads):
        if node.op is None:
            if node.name not in values:
                raise MXNetError(f"variable {node.name!r} has no value; given are {', '.join(values) or 'none'}")
            computed[node, 0] = values[node.name]
            continue
        inputs = [computed[pair] for pair in node.inputs]
        if device_of is not None:
            ctx = device_of(node)
            inputs = [x.as_in_context(ctx) for x in inputs]
        with error_location(node):
            result = _run(node.op, inputs, ctx)
        outputs = result if isinstance(result, list) else [result]
        computed.update({(node, i): y for i, y in enumerate(outputs)})
        if callback is not None:
            callback(node, outputs)
    return [computed[pair] for pair in symbol.heads]


def _run(op, inputs, ctx):
    """Returns the result of an operator: an array, or a list of arrays."""
    if isinstance(op, ControlOp):
        return run_control(op, inputs, interpret)
    if isinstance(op, Custom):
        return run_custom(op, inputs)
    if isinstance(op, Composite):
        with ctx:
            return op.expand(ask("nd"), inputs)
    return run_any(op, inputs, hidden=True) if inputs else create(op, ctx)
