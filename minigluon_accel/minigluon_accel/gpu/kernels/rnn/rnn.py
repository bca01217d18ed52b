"""RNN and its gradient: each step is a product with the recurrent weights and a gate kernel (see `rnn_net.py`)."""

import numpy as np

from ...launch import THREADS, In, Launch, Scratch, SourceFile, blocks, types
from ..philox import is_supported, take
from ..registry import kernel_for
from .rnn_net import DRAWS, Net, numbers, transposed

DROPOUT_SOURCE = SourceFile("nn/dropout.cu")


@kernel_for("RNN")
def rnn(op, inputs, outputs, train, rng, device):
    draws = op.p > 0 and train and op.num_layers > 1
    if draws and not is_supported(rng):
        return "another generator"
    net = Net(op, inputs[0], inputs[-1] if op.use_sequence_length else None, device)
    for number, (name, spec) in enumerate(zip(op.input_names(), inputs, strict=True)):
        net.take(name, In(number), spec)
    (out, *lasts, reserve), finish = net.results(outputs)
    net.operands["reserve"] = reserve
    buffers = {"part": net.between(net.batch * net.gates), "fresh": net.between(net.batch * net.units),
               "projected": net.between(net.batch * net.out)}
    ends = dict(zip(op.state_names, lasts, strict=False))
    for name, length in zip(op.state_names, (net.out, net.units), strict=False):
        count = len(net.names) * net.batch * length
        ends[name] = ends.get(name) or net.between(count)
        net.copy(ends[name], net.operands[name], count)         # the states, which each step overwrites
    x = net.operands["data"], 0
    for layer in range(op.num_layers):
        y = (out, 0) if layer == op.num_layers - 1 else (reserve, net.reserve[f"{layer}_outputs"])
        for side in range(op.sides):
            _direction(net, layer, side, x, y, ends, buffers)
        x = y
        if op.p > 0 and layer < op.num_layers - 1:
            x = _drop(net, layer, y, rng if draws else None)
    finish()
    return net.work()


def _direction(net, layer, side, x, y, ends, buffers):
    """Adds all steps of one direction. x, y: (operand, first element) of the layer's input and output."""
    number = layer * net.op.sides + side
    name, reserve = net.names[number], net.operands["reserve"]
    depth, parameters = net.shapes[f"{name}_i2h_weight"][1], net.operands["parameters"]
    gates = net.reserve[f"{name}_gates"]
    cells = net.reserve.get(f"{name}_cells", net.reserve.get(f"{name}_hidden", 0))
    net.multiply(net.rows, net.gates, depth, (*x, depth, 1), transposed(net.weight(f"{name}_i2h_weight")),
                 (reserve, gates, net.gates, 1))
    net.launch("rnn_add_bias", net.rows * net.gates, [
        reserve, parameters, net.rows * net.gates, net.gates, net.parameters[f"{name}_i2h_bias"], gates])
    state, cell = ends["state"], ends.get("state_cell", ends["state"])
    state_at, cell_at = number * net.batch * net.out, number * net.batch * net.units
    for step in range(net.steps):
        time = net.steps - 1 - step if side else step
        out_at = y[1] + time * net.batch * net.width + side * net.out
        net.multiply(net.batch, net.gates, net.out, (state, state_at, net.out, 1),
                     transposed(net.weight(f"{name}_h2h_weight")), (buffers["part"], 0, net.gates, 1))
        projected = net.op.projection_size is not None
        net.launch("rnn_step", net.batch * net.units, [
            reserve, buffers["part"], parameters, state, cell, buffers["fresh"] if projected else y[0], net.ends,
            numbers(net.batch, net.units, time, gates + time * net.batch * net.gates,
                    cells + time * net.batch * net.units, net.parameters[f"{name}_h2h_bias"], state_at, cell_at, out_at,
                    net.width), *net.limits])
        if projected:
            net.multiply(net.batch, net.out, net.units, (buffers["fresh"], 0, net.units, 1),
                         transposed(net.weight(f"{name}_h2r_weight")), (buffers["projected"], 0, net.out, 1))
            net.launch("rnn_settle", net.batch * net.out, [
                state, y[0], buffers["projected"], net.ends,
                numbers(net.batch, net.out, time, 0, 0, 0, state_at, 0, out_at, net.width)])


def _drop(net, layer, y, rng):
    """Drops some of a layer's outputs and saves the mask; returns (operand, first element) of the next layer's input.

    rng: Returns None if nothing is dropped.
    """
    count, mask_at = net.rows * net.width, net.reserve[f"{layer}_mask"]
    if rng is None or not count:
        net.fill(net.operands["reserve"], count, 1, mask_at)
        return y
    mask, dropped, p = net.between(count), net.between(count), net.op.p
    scale = net.dtype.type(1 / (1 - p) if p < 1 else 0)
    defines = types(net.dtype, W=net.dtype)
    net.launches += [take(rng, count, net.device),
                     Launch(DROPOUT_SOURCE, "dropout_mask", defines, blocks(-(-count // 8)), THREADS,
                            [mask, Scratch(DRAWS), count, np.float32(p), scale])]
    net.copy(net.operands["reserve"], mask, count, mask_at)
    net.scale(dropped, *y, mask)
    return dropped, 0


# -- gradient ---------------------------------------------------------------------------------------------------------


@kernel_for("_backward_RNN")
def backward_rnn(op, inputs, outputs, device):
    data = op.parts(inputs)[1][0]
    names = op.argument_names(len(inputs))
    lengths = inputs[names.index("sequence_length")] if op.use_sequence_length else None
    net = Net(op, data, lengths, device)
    for number, (name, spec) in enumerate(zip(names, inputs, strict=True)):
        net.take(name, In(number), spec)
    results, finish = net.results(outputs)
    buffers = {
        "grads": results[-1], "before": net.between(net.rows * net.out),
        "projected": net.between(net.rows * net.out), "hidden": net.between(net.rows * net.units),
        "part": net.between(net.batch * net.units), "added": net.between(net.batch * net.out)}
    buffers["hidden_grads"] = (net.between(op.sides * net.rows * net.gates) if op.mode == "gru"
                               else buffers["grads"])
    _begin(net, results)
    out_grad, out = (net.operands["grad"], 0), (net.operands["output"], 0)
    for layer in reversed(range(op.num_layers)):
        below = (net.operands["reserve"], net.reserve[f"{layer - 1}_outputs"]) if layer else (net.operands["data"], 0)
        x = below
        count = net.rows * net.width
        if layer and op.p > 0:
            mask = net.operands["reserve"], net.reserve[f"{layer - 1}_mask"]
            x = net.between(count), 0
            net.scale(x[0], *below, *mask)
        for side in range(op.sides):
            _direction_back(net, layer, side, x, out, out_grad, results, buffers)
        if layer:
            x_grad = net.between(count)
            _input_grad(net, layer, buffers["grads"], x_grad)
            if op.p > 0:
                net.scale(x_grad, x_grad, 0, *mask)
            out_grad = x_grad, 0
        out = below
    finish()
    return net.work()


@kernel_for("_rnn_data_grad")
def rnn_data_grad(op, inputs, outputs, device):
    net = Net(op, outputs[0], None, device)
    net.take("parameters", In(1), inputs[1])
    (grad,), finish = net.results(outputs)
    _input_grad(net, 0, In(0), grad)
    finish()
    return net.work()


def _input_grad(net, layer, grads, result):
    """Adds the gradient of a layer's input: the gates' gradients · weights, summed over both directions."""
    for side in range(net.op.sides):
        weight = f"{net.names[layer * net.op.sides + side]}_i2h_weight"
        depth = net.shapes[weight][1]
        net.multiply(net.rows, depth, net.gates, (grads, _side_at(net, side), net.gates, 1), net.weight(weight),
                     (result, 0, depth, 1), **({"added": result, "by": "matrix"} if side else {}))


def _side_at(net, side):
    """Returns the offset at which the gradients of a direction's gates begin."""
    return side * net.rows * net.gates


def _begin(net, results):
    """Initializes the last states' gradients (zeros if the states are not outputs), which each step overwrites."""
    for name, length, result in zip(net.op.state_names, (net.out, net.units), results[1:-1], strict=False):
        count = len(net.names) * net.batch * length
        if net.op.state_outputs:
            net.copy(result, net.operands[f"{name}_grad"], count)
        else:
            net.fill(result, count, 0)


def _direction_back(net, layer, side, x, out, out_grad, results, buffers):
    """Adds the whole backward pass of one direction. x, out, out_grad: (operand, first element)."""
    number = layer * net.op.sides + side
    name, operands = net.names[number], net.operands
    first_at = number * net.batch * net.out
    net.launch("rnn_before", net.rows * net.out, [
        buffers["before"], out[0], operands["state"], net.ends, net.steps, net.batch, net.out,
        out[1] + side * net.out, net.width, first_at, side])
    for step in range(net.steps):
        _step(net, name, number, step if side else net.steps - 1 - step, side, out_grad, results, buffers)
    _weight_grads(net, name, side, x, results[0], buffers)


def _step(net, name, number, time, side, out_grad, results, buffers):
    """Adds one backward step."""
    reserve, size = net.operands["reserve"], net.batch * net.units
    gates = net.reserve[f"{name}_gates"] + time * net.batch * net.gates
    cells = net.reserve.get(f"{name}_cells", net.reserve.get(f"{name}_hidden", 0))
    state_at, cell_at = number * net.batch * net.out, number * size
    out_at = out_grad[1] + time * net.batch * net.width + side * net.out
    then = time + 1 if side else time - 1
    is_first = not 0 <= then < net.steps
    cell_before = net.operands.get("state_cell", reserve) if is_first else reserve
    cell_before_at = cell_at if is_first else cells + then * size
    state_grad, cell_grad = results[1], results[len(net.op.state_names)]
    source = out_grad[0], out_at, net.width
    grads_at = _side_at(net, side) + time * net.batch * net.gates
    if net.op.projection_size:
        projected_at = time * net.batch * net.out
        net.launch("rnn_settle_back", net.batch * net.out, [
            buffers["projected"], state_grad, out_grad[0], net.ends,
            numbers(net.batch, net.out, time, 0, 0, 0, 0, projected_at, state_at, 0, out_at, net.width)])
        net.multiply(net.batch, net.units, net.out, (buffers["projected"], projected_at, net.out, 1),
                     net.weight(f"{name}_h2r_weight"), (buffers["part"], 0, net.units, 1))
        source = buffers["part"], 0, net.units
    net.launch("rnn_back", size, [
        buffers["grads"], buffers["hidden_grads"], state_grad, cell_grad, reserve, buffers["before"], cell_before,
        source[0], net.ends,
        numbers(net.batch, net.units, time, gates, cells + time * size, time * net.batch * net.out, cell_before_at,
                grads_at, state_at, cell_at, *source[1:]), *net.limits])
    net.multiply(net.batch, net.out, net.gates, (buffers["hidden_grads"], grads_at, net.gates, 1),
                 net.weight(f"{name}_h2h_weight"), (buffers["added"], 0, net.out, 1))
    net.launch("rnn_add", net.batch * net.out, [state_grad, buffers["added"], net.batch * net.out, state_at])


def _weight_grads(net, name, side, x, result, buffers):
    """Adds the gradients of the weights, gradsᵀ · their factors, and the gradients of the biases, which are sums."""
    first = _side_at(net, side)
    pairs = [("i2h", buffers["grads"], first, net.gates, x),
             ("h2h", buffers["hidden_grads"], first, net.gates, (buffers["before"], 0))]
    for part, grads, first, rows, _ in pairs:
        net.launch("rnn_sums", rows, [result, grads, net.rows, rows, net.parameters[f"{name}_{part}_bias"], first])
    if net.op.projection_size:
        net.launch("rnn_hidden", net.rows * net.units, [
            buffers["hidden"], net.operands["reserve"], net.rows, net.units, net.reserve[f"{name}_gates"],
            net.reserve[f"{name}_cells"]])
        pairs.append(("h2r", buffers["projected"], 0, net.out, (buffers["hidden"], 0)))
    for part, grads, first, rows, source in pairs:
        weight = f"{name}_{part}_weight"
        columns = net.shapes[weight][1]
        net.multiply(rows, columns, net.rows, transposed((grads, first, rows, 1)), (*source, columns, 1),
                     (result, net.parameters[weight], columns, 1))
