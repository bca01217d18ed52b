"""Execution of nodes that contain graphs (`ops.graph.control`), with the loops and branches of `nd.contrib`.

The graphs are interpreted, so their operators are recorded on the tape individually, as in a program without a graph.
"""

from ..ndarray import contrib
from ..ndarray.control import truth
from ..ndarray.creation import zeros

__all__ = ["run_control"]


def run_control(op, inputs, interpret):
    """Returns a node's outputs as a list of NDArrays. interpret(symbol, values): computes a graph in the node."""
    def run(graph, arrays):
        values = {node.name: x for node, x in zip(graph.inputs, arrays, strict=True)}
        with inputs[0].context:             # the device for a graph without inputs
            return interpret(graph.symbol, values)

    return _RUNNERS[op.name](op, list(inputs), run)


def _foreach(op, inputs, run):
    data, states = len(op.in_data_locs), len(op.in_state_locs)
    closure = inputs[data + states:]
    _, positions = op.wiring[0]

    def body(slices, before):
        arrays = [*slices, *before, *closure]
        outputs = run(op.body, [arrays[position] for position in positions])
        return outputs[:op.num_out_data], outputs[op.num_out_data:]

    results, after = contrib.foreach(body, inputs[:data], inputs[data:data + states])
    return [*results, *after]


def _while_loop(op, inputs, run):
    def gathered(indices, variables):
        arrays = list(inputs)
        for index, variable in zip(op.variables, variables, strict=True):
            arrays[index] = variable
        return [arrays[index] for index in indices]

    def cond(*variables):
        return run(op.cond, gathered(op.cond_input_locs, variables))[0]

    def func(*variables):
        outputs = run(op.func, gathered(op.func_input_locs, variables))
        return outputs[:op.num_out_data], outputs[op.num_out_data:]

    start = [inputs[index] for index in op.variables]
    results, after = contrib.while_loop(cond, func, start, op.max_iterations)
    return [*(results or _no_results(op, inputs)), *after]


def _no_results(op, inputs):
    """Returns the results of a loop with no steps. Unlike in `nd`, their shapes are known here."""
    shapes = op.infer_shape(*[x.shape for x in inputs])[1][:op.num_out_data]
    dtypes = op.infer_dtype(*[x.buffer.dtype for x in inputs])[1]
    return [zeros(shape, inputs[0].context, dtype) for shape, dtype in zip(shapes, dtypes, strict=False)]


def _cond(op, inputs, run):
    (pred, *branches) = [(graph, [inputs[index] for index in indices]) for graph, indices in op.wiring]
    return run(*branches[0 if truth(run(*pred)[0], "cond: pred") else 1])


_RUNNERS = {"_foreach": _foreach, "_while_loop": _while_loop, "_cond": _cond}
