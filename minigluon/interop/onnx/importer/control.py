"""Branches and loops, unrolled when the file is read if their conditions are known, otherwise cond or foreach."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .... import symbol as sym
from .table import operator
from .values import Value

if TYPE_CHECKING:
    from .call import Call

MOST_COPIES = 64            # the maximum number of nodes in a loop body to unroll


@operator("If")
def branch(call: Call) -> Any:
    """Translates If. Both branches see the names of the outer graph and do not have inputs."""
    graph = call.graph
    then, otherwise = call.attribute("then_branch"), call.attribute("else_branch")
    if call.is_known(0):
        with graph.inside():
            return graph.run_inside(then if bool(call.constant(0).ravel()[0]) else otherwise)
    shapes = []

    def function(body):
        def compute():
            with graph.inside():
                values = graph.run_inside(body)
                shapes.append([value.scalar for value in values])
                return [_own(graph.symbol(value)) for value in values]
        return compute
    outs = sym.contrib.cond(sym.cast(call.data(0), dtype="float32"), function(then), function(otherwise))
    return [call.scalar(out) if alone else out for out, alone in zip(outs, shapes[0], strict=True)]


def _own(symbol):
    """Returns the symbol as the output of an operator, which a subgraph requires."""
    return sym.identity(symbol) if symbol.heads[0][0].op is None else symbol


def _bound(graph, name, symbol, shape, dtype, scalar=False):
    """Binds a name inside a loop to a value that the loop passes in."""
    graph.facts.set(symbol, shape if shape != () else (1,), dtype)
    graph.values[name] = Value(name, symbol=symbol, shape=shape, dtype=dtype, scalar=scalar)


@operator("Scan")
def scan(call: Call) -> list[Any]:
    """Translates Scan to `foreach` over the first axis; other axes are moved there, and backward scans reverse it."""
    if call.opset < 9:
        raise call.refuse("Scan of opset 8, which has a batch axis")
    graph, body, count = call.graph, call.attribute("body"), call.attribute("num_scan_inputs")
    if not 1 <= count <= len(call.inputs):
        raise call.refuse(f"num_scan_inputs={count} of {len(call.inputs)} inputs")
    first = len(call.inputs) - count
    axes = call.attribute("scan_input_axes", None) or [0] * count
    directions = call.attribute("scan_input_directions", None) or [0] * count
    data, slices = [], []
    for number, (axis, backwards) in enumerate(zip(axes, directions, strict=True)):
        index = first + number
        axis, shape, x = call.axis(axis, index), list(call.shape(index)), call.data(index)
        x = _moved(x, len(shape), axis, 0)
        if backwards:
            x = sym.reverse(x, axis=0)
        shape.pop(axis)
        data.append(sym.expand_dims(x, axis=1) if not shape else x)
        slices.append((tuple(shape), call.dtype(index)))
    scalars = []

    def step(parts, states):
        with graph.inside():
            names = [entry.name for entry in body.input]
            for number, state in enumerate(states):
                value = call.value(number)
                _bound(graph, names[number], state, value.shape, value.dtype, value.scalar)
            for name, part, (shape, dtype) in zip(names[first:], parts, slices, strict=True):
                _bound(graph, name, part, shape, dtype, shape == ())
            values = graph.run_inside(body)
            scalars[:] = [value.scalar for value in values]
            results = [graph.symbol(value) for value in values]
        return results[first:], results[:first]
    outs, states = sym.contrib.foreach(step, data, [call.data(index) for index in range(first)])
    states = [call.scalar(sym.identity(s)) if alone else s for s, alone in zip(states, scalars, strict=False)]
    return [*states, *_scan_outputs(call, outs, scalars[first:])]


def _scan_outputs(call, outs, scalars):
    axes = call.attribute("scan_output_axes", None) or [0] * len(outs)
    directions = call.attribute("scan_output_directions", None) or [0] * len(outs)
    moved = []
    for out, alone, axis, backwards in zip(outs, scalars, axes, directions, strict=True):
        if alone:
            out = sym.reshape(out, shape=(-1,))
        if backwards:
            out = sym.reverse(out, axis=0)
        rank = call.graph.rank_of(out)
        moved.append(_moved(out, rank, 0, axis % rank))
    return moved


def _moved(x, rank, source, target):
    if source == target:
        return x
    order = [axis for axis in range(rank) if axis != source]
    order.insert(target, source)
    return sym.transpose(x, axes=tuple(order))


@operator("Loop")
def loop(call: Call) -> Any:
    """Unrolls a loop whose trip count is known and whose condition depends on known numbers."""
    most = int(call.constant(0).ravel()[0]) if call.is_known(0) else None
    if call.has(0) and most is None:
        raise call.refuse("its number of iterations must be known when the file is read",
                          *call.graph.whole_inputs(call.value(0)))
    if call.has(1) and not call.is_known(1):
        raise call.refuse("its condition must be known when the file is read",
                          *call.graph.whole_inputs(call.value(1)))
    going = bool(call.constant(1).ravel()[0]) if call.has(1) else True
    if most is not None and most > MOST_COPIES:
        return _repeated(call, most)
    body, graph = call.attribute("body"), call.graph
    carried, outs, rounds = list(call.inputs[2:]), [], 0
    while going and (most is None or rounds < most):
        if rounds == MOST_COPIES:
            raise call.refuse(f"more than {MOST_COPIES} iterations, whose number is not known in advance")
        values = _round(call, body, np.array(rounds), carried)
        if values[0].array is None:
            return _while(call, most)
        going = bool(values[0].array.ravel()[0])
        carried, outs = values[1:1 + len(carried)], [*outs, values[1 + len(carried):]]
        rounds += 1
    if not outs:
        if len(body.output) > 1 + len(carried):
            raise call.refuse("a loop without iterations, whose results are empty")
        return carried
    return [*carried, *[_stacked(graph, parts) for parts in zip(*outs, strict=True)]]


def _round(call, body, number, carried):
    """Returns the Values of one iteration."""
    graph = call.graph
    with graph.inside():
        names = [entry.name for entry in body.input]
        loop_values = [Value(names[0], array=np.asarray(number, np.int64)), Value(names[1], array=np.array(True))]
        graph.values.update(zip(names, [*loop_values, *carried], strict=True))
        return graph.run_inside(body)


def _stacked(graph, values):
    if all(value.array is not None for value in values):
        return np.stack([value.array for value in values])
    parts = [graph.symbol(value) for value in values]
    if values[0].scalar:
        return sym.concat(*parts, dim=0) if len(parts) > 1 else sym.identity(parts[0])
    return sym.stack(*parts, axis=0)


def _repeated(call, most):
    """Turns many iterations, whose condition stays true, into `foreach` over their indices."""
    graph, body, first = call.graph, call.attribute("body"), len(call.inputs) - 2
    scalars = []

    def step(number, states):
        with graph.inside():
            names = [entry.name for entry in body.input]
            _bound(graph, names[0], number, (), np.dtype("int64"), True)
            graph.values[names[1]] = Value(names[1], array=np.array(True))
            for index, state in enumerate(states):
                value = call.value(index + 2)
                _bound(graph, names[index + 2], state, value.shape, value.dtype, value.scalar)
            values = graph.run_inside(body)
            if values[0].array is None or not values[0].array.ravel()[0]:
                raise call.refuse(f"a condition that may end a loop of up to {most} iterations")
            scalars[:] = [value.scalar for value in values]
            results = [graph.symbol(value) for value in values[1:]]
        return results[first:], results[:first]
    numbers = sym.reshape(sym.arange(0, most, dtype="int64"), shape=(-1, 1))
    outs, states = sym.contrib.foreach(step, numbers, [call.data(index + 2) for index in range(first)])
    states = [call.scalar(sym.identity(s)) if alone else s for s, alone in zip(states, scalars[1:], strict=False)]
    return [*states, *_scan_outputs(call, outs, scalars[1 + first:])]


def _while(call, most):
    """Translates a computed condition to `while_loop`, which needs a bound and does not stack per-step results."""
    graph, body, first = call.graph, call.attribute("body"), len(call.inputs) - 2
    if most is None:
        raise call.refuse("a loop without a bound whose condition is computed")
    if len(body.output) > 1 + first:
        raise call.refuse("per-iteration results whose number is computed")
    scalars = []

    def function(number, going, *states):
        with graph.inside():
            names = [entry.name for entry in body.input]
            _bound(graph, names[0], number, (), np.dtype("int64"), True)
            _bound(graph, names[1], sym.cast(going, dtype="bool"), (), np.dtype("bool"), True)
            for index, state in enumerate(states):
                value = call.value(index + 2)
                _bound(graph, names[index + 2], state, value.shape, value.dtype, value.scalar)
            values = graph.run_inside(body)
            scalars[:] = [value.scalar for value in values[1:]]
            after = [graph.symbol(value) for value in values]
        return [], [number + 1, sym.cast(after[0], dtype="float32"), *after[1:]]
    begin = [sym.zeros((1,), dtype="int64"), sym.ones((1,)), *[call.data(index + 2) for index in range(first)]]
    _, states = sym.contrib.while_loop(lambda number, going, *states: going, function, begin, max_iterations=most)
    return [call.scalar(sym.identity(s)) if alone else s for s, alone in zip(states[2:], scalars, strict=True)]
