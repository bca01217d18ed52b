"""RNN on the GPU."""

import numpy as np

from ...launch import THREADS, In, Launch, Scratch, blocks, types
from ..philox import known, take
from ..registry import kernel_for
from .net import DRAWS, Net, numbers, transposed


@kernel_for("RNN")
def rnn(op, inputs, outputs, train, rng, device):
    draws = op.p > 0 and train and op.num_layers > 1
    if draws and not known(rng):
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
        net.copy(ends[name], net.operands[name], count)         # the states, which steps overwrite
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
    """All steps of one direction. x, y: (operand, first element) of the layer's input and output."""
    number = layer * net.op.sides + side
    name, reserve = net.names[number], net.operands["reserve"]
    depth, parameters = net.shapes[f"{name}_i2h_weight"][1], net.operands["parameters"]
    gates = net.reserve[f"{name}_gates"]
    kept = net.reserve.get(f"{name}_cells", net.reserve.get(f"{name}_hidden", 0))
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
                    kept + time * net.batch * net.units, net.parameters[f"{name}_h2h_bias"], state_at, cell_at, out_at,
                    net.width), *net.limits])
        if projected:
            net.multiply(net.batch, net.out, net.units, (buffers["fresh"], 0, net.units, 1),
                         transposed(net.weight(f"{name}_h2r_weight")), (buffers["projected"], 0, net.out, 1))
            net.launch("rnn_settle", net.batch * net.out, [
                state, y[0], buffers["projected"], net.ends,
                numbers(net.batch, net.out, time, 0, 0, 0, state_at, 0, out_at, net.width)])


def _drop(net, layer, y, rng):
    """Drop some of a layer's outputs, and keep the mask; (operand, first element) of what the next layer takes.

    rng: None where nothing is dropped.
    """
    count, mask_at = net.rows * net.width, net.reserve[f"{layer}_mask"]
    if rng is None or not count:
        net.fill(net.operands["reserve"], count, 1, mask_at)
        return y
    mask, dropped, p = net.between(count), net.between(count), net.op.p
    kept = net.dtype.type(1 / (1 - p) if p < 1 else 0)
    net.launches += [take(rng, count, net.device),
                     Launch("nn/dropout.cu", "dropout_mask", types(net.dtype), blocks(-(-count // 8)), THREADS,
                            [mask, Scratch(DRAWS), count, np.float32(p), kept])]
    net.copy(net.operands["reserve"], mask, count, mask_at)
    net.scale(dropped, *y, mask)
    return dropped, 0
