"""RNN and its gradients.

Forward: for each layer, a product for all time steps, then the time steps one by one (see `csrc/rnn/rnn.c`). Backward:
the time steps of the gates one by one, then products for all time steps (see `csrc/rnn/rnn_grad.c`).
"""

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..matrix_product import Matrix, product
from ..nn.dropout import dropping
from ..philox import DRAWS, state_of
from ..registry import kernel_for, parts, reals
from .rnn_grad import RNNGradOperands, backward_steps, input_grad, masked, weight_grads
from .rnn_layers import ABSENT, RELU, STEPS, TANH, Layers, at, reason_against

__all__ = ["RNNOperands", "backward_call", "data_grad_call", "forward_call", "forward_phases"]


@kernel_for("RNN")
def rnn(op, inputs, outputs, train, rng):
    return forward_call(Layers.of(op, inputs[0], 1), 1, inputs, outputs, train, rng)


def forward_call(net, count, inputs, outputs, train, rng):
    """Returns the Call for all layers, or a string with the reason for declining. count: the number of parameter
    arrays."""
    op, reason = net.op, reason_against(net.op, inputs[0], [*inputs, *outputs])
    if reason:
        return reason
    dropped = op.p > 0 and op.num_layers > 1
    state = state_of(rng) if dropped and train else None
    if isinstance(state, str):
        return state
    places = RNNOperands(len(inputs), len(outputs), count)
    scratch = [Spec((net.sides * net.packed,), net.dtype)]
    if dropped:
        scratch += [Spec((net.rows * net.width,), net.dtype), DRAWS]
    return Call(*forward_phases(net, places, train and state), scratch=scratch)


def forward_phases(net, places, state=None):
    """Returns the Phases of all layers. state: as in `_drop`."""
    op, x = net.op, (0, 0)                              # a layer's input: index, first element
    for layer in range(op.num_layers):
        out = places.out if layer == op.num_layers - 1 else places.reserve
        first = net.reserve.get(f"{layer}_outputs", 0)
        yield from _from_inputs(net, layer, x, places)
        if places.ready is None:
            yield net.pack(places.packed, layer)
        yield from _steps(net, layer, at(out, first, net.units), places)
        x = out, first
        if op.p > 0 and layer < op.num_layers - 1 and places.ready is None:
            drop, x = _drop(net, layer, x, places, state)
            yield from drop


class RNNOperands:
    """The operands of an RNN.

    parameters: the number of arrays. ready: the `PackedWeights` that locate packed weights, or None.
    """

    def __init__(self, inputs, outputs, parameters=1, ready=None):
        self.ready, self.state = ready, parameters + 1
        self.cell = self.state + 1 if inputs > self.state + 1 else None
        self.out = inputs
        self.lasts = range(inputs + 1, inputs + outputs - 1)    # with state_outputs
        self.reserve = inputs + outputs - 1
        self.packed, self.dropped, self.draws = range(inputs + outputs, inputs + outputs + 3)

    def weights(self, net, layer):
        """Returns the packed recurrent weights of a layer."""
        return at(self.packed, 0, net.packed) if self.ready is None else self.ready.weights(net, layer)


def _from_inputs(net, layer, x, places):
    """Yields the products of the inputs of all time steps with their weights, plus the bias, in the gates' memory."""
    gates = net.reserve_view(layer, "gates", places.reserve)
    for side in range(net.sides):
        if places.ready is not None:
            yield places.ready.product(net, layer, side, x, gates[0], gates[1] + side * gates[2])
            continue
        weight, depth = net.weights(layer, side, "i2h_weight")
        bias = net.parameter(layer, "i2h_bias")
        yield product(net.dtype, (net.rows, net.gates * net.units), depth, Matrix(x[0], depth, 1, first=x[1]), weight.T,
                      gates[0], bias[0], out_first=gates[1] + side * gates[2], bias_first=bias[1] + side * bias[2])


def _steps(net, layer, out, places):
    lasts = [net.states(layer, place) for place in places.lasts]
    last, last_cell = (*lasts, ABSENT, ABSENT)[:2]
    for step in range(net.steps):
        yield Phase(
            f"{STEPS[net.op.mode]}_step", net.dtype, net.step_parts, step=step, steps=net.steps, batch=net.batch,
            units=net.units, directions=net.sides, activation=TANH if net.op.mode == "rnn_tanh" else RELU,
            weights=places.weights(net, layer), bias=net.parameter(layer, "h2h_bias"),
            gates=net.reserve_view(layer, "gates", places.reserve),
            kept=net.reserve_view(layer, "cells" if net.op.mode == "lstm" else "hidden", places.reserve), out=out,
            state=net.states(layer, places.state),
            cell=net.states(layer, places.cell) if places.cell else ABSENT, last=last, last_cell=last_cell)


def _drop(net, layer, x, places, state):
    """Returns (the Phases that drop some of a layer's outputs and fill the mask, the input of the next layer).

    state: the generator's state, or None if nothing is dropped.
    """
    count, first = net.rows * net.width, net.reserve[f"{layer}_mask"]
    if state is None or state is False:
        return [Phase("recurrent_fill", net.dtype, parts(count), array=at(places.reserve, first), count=count,
                      value=1.0)], x
    return dropping(net.dtype, state, net.op.p, count, data=x[0], out=places.dropped, mask=places.reserve,
                    draws=places.draws, data_first=x[1], mask_first=first), (places.dropped, 0)


@kernel_for("_backward_RNN")
def backward_rnn(op, inputs, outputs):
    names = op.argument_names(len(inputs))
    data, place = op.parts(inputs)[1][0], names.index("parameters")
    return backward_call(Layers.of(op, data, place), RNNGradOperands(names, outputs), data, inputs, outputs)


def backward_call(net, places, data, inputs, outputs):
    """Returns the Call for all layers, from the last to the first, or the reason why there is none.

    data: the Spec of the RNN's data.
    """
    op, reason = net.op, reason_against(net.op, data, [*inputs, *outputs])
    if reason:
        return reason
    phases, scratch = [], places.with_scratch(net)
    out_grad, out = (places.grad, 0), (places.output, 0)
    for layer in reversed(range(op.num_layers)):
        below = (places.reserve, net.reserve[f"{layer - 1}_outputs"]) if layer else (places.data, 0)
        x = below
        phases += [net.pack(places.packed, layer, backward=True), *backward_steps(net, layer, out, out_grad, places)]
        if layer and op.p > 0:
            phases.append(masked(net, layer, below, (places.masked, 0), places))
            x = places.masked, 0
        phases += weight_grads(net, layer, x, out, places)
        if layer:
            out_grad = places.below, 0
            phases += input_grad(net, layer, places.grads, places.part, places.below)
            if op.p > 0:
                phases.append(masked(net, layer, out_grad, out_grad, places))
        out = below
    return Call(*phases, scratch=scratch)


@kernel_for("_rnn_data_grad")
def rnn_data_grad(op, inputs, outputs):
    return data_grad_call(Layers.of(op, outputs[0], 1), inputs, outputs)


def data_grad_call(net, inputs, outputs):
    """Returns the Call for the gradient of data, or a string that says why there is none."""
    reason = reals(*inputs, *outputs)
    if reason:
        return reason
    part = [Spec((max(net.rows * net.inputs, 1),), net.dtype)] if net.sides == 2 else []
    return Call(*input_grad(net, 0, grads=0, part=len(inputs) + 1, target=len(inputs)), scratch=part)
