"""Loops and branches: _foreach as Scan, _while_loop as Loop and _cond as If. A subgraph reads outer values directly,
which ONNX allows.
"""

import numpy as np

from ......symbol.infer import infer_dtypes, infer_shapes
from ...table import translates
from ...translation import translate
from ...values import Body, Builder, Value

__all__ = []


def _argument(inner, like, shape=None):
    """Returns an input of a subgraph."""
    return Value(inner, like.shape if shape is None else shape, like.dtype, f"{inner.prefix}/input")


def _truth(g, x):
    """Returns a condition as a single bool."""
    return g.reshape(g.is_true(x), ())


@translates("_foreach")
def foreach(g, op, *inputs):
    data_count, state_count = len(op.in_data_locs), len(op.in_state_locs)
    data, states = inputs[:data_count], inputs[data_count:data_count + state_count]
    places = op.in_data_locs + op.in_state_locs + op.remain_locs
    inner = Builder(g.opset, outer=g)
    inner.prefix = g.prefix
    state_arguments = [_argument(inner, state) for state in states]
    slices = [_argument(inner, x, x.shape[1:]) for x in data]
    items = [x if x.rank else inner.unsqueeze(x, 0) for x in slices]         # an element of a vector has shape (1,)
    arguments = [None] * len(places)
    for place, value in zip(places, [*items, *state_arguments, *inputs[data_count + state_count:]], strict=True):
        arguments[place] = value
    heads = _translated(inner, op.body, arguments)
    body = Body(inner, [*state_arguments, *slices], [*heads[op.num_out_data:], *heads[:op.num_out_data]])
    outputs = g.call("Scan", *states, *data, body=body, num_scan_inputs=data_count, outputs=len(heads))
    outputs = outputs if isinstance(outputs, list) else [outputs]
    final, stacked = outputs[:state_count], outputs[state_count:]
    for value, head in zip([*final, *stacked], body.heads, strict=True):
        value.dtype = head.dtype
    length = data[0].shape[0]
    for value, head in zip(stacked, heads, strict=False):
        value.shape = (length, *head.shape)
    results = [g.reshape(value, shape) for value, (shape, _) in zip(stacked, g.specs, strict=False)]
    return [*results, *final]


def _translated(inner, graph, values):
    """Returns the Values of the graph's outputs, which the builder `inner` writes."""
    nodes = [*graph.inputs, *[node for node in graph.nodes if node.op is not None]]
    both = list(zip(graph.inputs, values, strict=True))
    shapes = infer_shapes(nodes, {node.name: value.shape for node, value in both})
    dtypes = infer_dtypes(nodes, {node.name: value.dtype for node, value in both})
    return translate(inner, nodes, graph.symbol.heads, {(node, 0): value for node, value in both}, shapes, dtypes)


@translates("_while_loop")
def while_loop(g, op, *inputs):
    """Evaluates the condition before the loop and after each step. Rows that no step writes are zeros."""
    before = [inputs[place] for place in op.variables]
    inner = Builder(g.opset, outer=g)
    inner.prefix = g.prefix
    number = Value(inner, (), np.int64, f"{g.prefix}/step")
    goes_on = Value(inner, (), np.bool_, f"{g.prefix}/goes_on")
    arguments = [_argument(inner, value) for value in before]

    def wired(places, variables):
        """Returns a subgraph's inputs: the current loop variables, and all other inputs from outside."""
        now = dict(zip(op.variables, variables, strict=True))
        return [now.get(place, inputs[place]) for place in places]

    heads = _translated(inner, op.func, wired(op.func_input_locs, arguments))
    results, after = heads[:op.num_out_data], heads[op.num_out_data:]
    test, = _translated(inner, op.cond, wired(op.cond_input_locs, after))
    first, = _translated(g, op.cond, wired(op.cond_input_locs, before))
    body = Body(inner, [number, goes_on, *arguments], [_truth(inner, test), *after, *results])
    most = g.constant(np.array(op.max_iterations, np.int64))
    outputs = g.call("Loop", most, _truth(g, first), *before, body=body, outputs=len(heads))
    outputs = outputs if isinstance(outputs, list) else [outputs]
    for value, head in zip(outputs, body.heads[1:], strict=True):
        value.dtype, value.shape = head.dtype, head.shape
    final, rows = outputs[:len(after)], outputs[len(after):]
    return [*(_filled_up(g, op, value, head) for value, head in zip(rows, results, strict=True)), *final]


def _filled_up(g, op, rows, head):
    """Appends rows of zeros to the rows written by the loop."""
    rank = len(head.shape) + 1
    rows.shape = None
    count = g.call("Slice", g.Shape(rows), g.ints(0), g.ints(1), g.ints(0))
    missing = g.ints(op.max_iterations) - count
    zeros = g.ints(*[0] * rank)
    behind = missing if rank == 1 else g.call("Concat", missing, g.ints(*[0] * (rank - 1)), axis=0)
    return g.Pad(rows, g.call("Concat", zeros, behind, axis=0), g.constant(np.zeros((), rows.dtype)))


@translates("_cond")
def cond(g, op, *inputs):
    test, = _translated(g, op.pred, [inputs[place] for place in op.cond_input_locs])
    bodies = []
    for graph, locs in ((op.then_branch, op.then_input_locs), (op.else_branch, op.else_input_locs)):
        inner = Builder(g.opset, outer=g)
        inner.prefix = g.prefix
        bodies.append(Body(inner, [], _translated(inner, graph, [inputs[place] for place in locs])))
    outputs = g.call("If", _truth(g, test), then_branch=bodies[0], else_branch=bodies[1], outputs=op.num_outputs)
    outputs = outputs if isinstance(outputs, list) else [outputs]
    for value, head in zip(outputs, bodies[0].heads, strict=True):
        value.dtype = head.dtype
    return outputs
