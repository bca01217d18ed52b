"""The phases of the gradient of RNN; see `csrc/rnn/grad.c`."""

from minigluon.backend import Spec

from ...engine import Phase
from ..matrix_product import Matrix, product
from ..registry import parts
from .layers import ABSENT, RELU, STEPS, TANH, at

__all__ = ["BackwardPlaces", "backward_steps", "input_grad", "masked", "weight_grads"]


class BackwardPlaces:
    """Of what the gradient of RNN works on: inputs, then outputs, then scratch; None for what is not there."""

    def __init__(self, op, inputs, outputs, net):
        for place, name in enumerate(op.argument_names(len(inputs))):
            setattr(self, name, place)
        self.parameters_grad = len(inputs)
        self.first_grads = (*range(len(inputs) + 1, len(inputs) + len(outputs) - 1), None)[:2]
        self.grads = len(inputs) + len(outputs) - 1         # of a layer's gates; those of the first layer stay
        self.last_grads = (*range(1, self.data), None, None)[:2]
        self.cell = getattr(self, "state_cell", None)
        sizes = self.sizes(op, net)
        self.scratch = [Spec((count,), net.dtype) for count in sizes.values()]
        self.carry = self.part = self.below = self.masked = None
        for place, name in enumerate(sizes, len(inputs) + len(outputs)):
            setattr(self, name, place)
        self.hidden_grads = getattr(self, "hidden_grads", self.grads)

    @staticmethod
    def sizes(op, net):
        """{name: numbers} of the buffers that are there; at least 1, also for a batch of nothing."""
        gates = net.sides * net.rows * net.gates * net.units
        sizes = {"packed": net.sides * net.packed, "before": net.sides * net.rows * net.units}
        if op.mode == "gru":
            sizes["hidden_grads"] = gates
        if op.mode in ("lstm", "gru"):
            sizes["carry"] = net.sides * net.batch * net.units
        if op.num_layers > 1:
            sizes["below"] = net.rows * net.width
            if net.sides == 2:
                sizes["part"] = net.rows * net.width
            if op.p > 0:
                sizes["masked"] = net.rows * net.width
        return {name: max(count, 1) for name, count in sizes.items()}


def _gates_side(net):
    return net.rows * net.gates * net.units


def backward_steps(net, layer, out, out_grad, places):
    """Steps for all times, and one for the gradients of the first states."""
    size = net.batch * net.units

    def states(place):
        return ABSENT if place is None else net.states(layer, place)

    for step in range(net.steps + 1):
        yield Phase(
            f"{STEPS[net.op.mode]}_back", net.dtype, net.step_parts, step=step, steps=net.steps, batch=net.batch,
            units=net.units, directions=net.sides, activation=TANH if net.op.mode == "rnn_tanh" else RELU,
            weights=at(places.packed, 0, net.packed), gates=net.kept(layer, "gates", places.reserve),
            kept=net.kept(layer, "cells" if net.op.mode == "lstm" else "hidden", places.reserve),
            out=at(*out, net.units), state=states(places.state), cell=states(places.cell),
            out_grad=at(*out_grad, net.units), last_grad=states(places.last_grads[0]),
            last_cell_grad=states(places.last_grads[1]), grads=at(places.grads, 0, _gates_side(net)),
            hidden_grads=at(places.hidden_grads, 0, _gates_side(net)),
            carry=ABSENT if places.carry is None else at(places.carry, 0, size),
            state_grad=states(places.first_grads[0]), cell_grad=states(places.first_grads[1]))


def masked(net, layer, source, target, places):
    """The Phase for the outputs of the layer below, or their gradient, times the mask."""
    count = net.rows * net.width
    return Phase("recurrent_mask", net.dtype, parts(count), source=at(*source),
                 mask=at(places.reserve, net.reserve[f"{layer - 1}_mask"]), target=at(*target), count=count)


def weight_grads(net, layer, x, out, places):
    """Of the weights: gradsᵀ · inputs, or · the states before each step; of the biases: sums of grads."""
    columns = net.gates * net.units
    yield Phase("recurrent_before", net.dtype, parts(net.sides * net.rows * net.units), steps=net.steps,
                batch=net.batch, units=net.units, directions=net.sides, out=at(*out, net.units),
                state=net.states(layer, places.state), before=at(places.before, 0, net.rows * net.units))
    for side in range(net.sides):
        behind = side * _gates_side(net)
        depth = net.depth(layer)
        for grads, source, name in (
                (places.grads, Matrix(x[0], depth, 1, first=x[1]), "i2h_weight"),
                (places.hidden_grads, Matrix(places.before, net.units, 1, first=side * net.rows * net.units),
                 "h2h_weight")):
            weight, width = net.weights(layer, side, name)
            yield product(net.dtype, (columns, width), net.rows, Matrix(grads, 1, columns, first=behind), source,
                          places.parameters_grad, out_first=weight.first)
    i2h, h2h = [net.parameter(layer, f"{name}_bias", places.parameters_grad) for name in ("i2h", "h2h")]
    if places.hidden_grads == places.grads:
        yield _sums(net, places.grads, i2h, h2h)
    else:
        yield _sums(net, places.grads, i2h)
        yield _sums(net, places.hidden_grads, h2h)


def _sums(net, grads, sums, again=ABSENT):
    """The Phase for the gradients of biases, which are added to all rows alike."""
    columns = net.gates * net.units
    return Phase("recurrent_sums", net.dtype, parts(net.sides * max(net.rows, 1) * columns), rows=net.rows,
                 columns=columns, directions=net.sides, grads=at(grads, 0, _gates_side(net)), sums=sums, again=again)


def input_grad(net, layer, grads, part, target):
    """grads · weights; the second direction's is added to the first one's, which waits in `part`."""
    columns = net.gates * net.units
    for side in range(net.sides):
        weight, depth = net.weights(layer, side, "i2h_weight")
        is_last = side == net.sides - 1
        yield product(net.dtype, (net.rows, depth), columns, Matrix(grads, columns, 1, first=side * _gates_side(net)),
                      weight, target if is_last else part, bias=part if side else -1, matrix=bool(side),
                      beta=1.0 if side else 0.0)
