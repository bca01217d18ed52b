"""Phases of the RNN gradient (see `csrc/rnn/rnn_grad.c`)."""

from minigluon.backend import Spec

from ...engine import Phase
from ..matrix_product import Matrix, product
from ..registry import parts
from .rnn_layers import ABSENT, RELU, STEPS, TANH, at

__all__ = ["RNNGradOperands", "backward_steps", "input_grad", "masked", "weight_grads"]


class RNNGradOperands:
    """The operands of the RNN gradient: inputs, then outputs, then scratch; None for operands that are absent.

    names: the names of the inputs, with 'parameters' for the first parameter. outputs: the first `count` outputs belong
    to parameters.
    """

    def __init__(self, names, outputs, count=1):
        for place, name in enumerate(names):
            setattr(self, name, place)
        self.parameters_grad = len(names)
        self.grads = len(names) + len(outputs) - 1          # gradients of a layer's gates; those of the first layer are
                                                            # kept
        self.first_grads = (*range(len(names) + count, self.grads), None)[:2]
        self.last_grads = (*range(1, self.data), None, None)[:2]
        self.cell = getattr(self, "state_cell", None)

    def with_scratch(self, net):
        """Assigns places to the scratch buffers that a network needs; returns their Specs."""
        sizes = self.sizes(net.op, net)
        self.carry = self.part = self.below = self.masked = self.hidden_grads = None
        for place, name in enumerate(sizes, self.grads + 1):
            setattr(self, name, place)
        if self.below is None and net.sides == 1:
            # A step reads the gradient of its outputs before it writes hidden_grads, element by element.
            self.below = self.hidden_grads
        self.before = self.packed               # recurrent weights are not needed after the steps
        return [Spec((count,), net.dtype) for count in sizes.values()]

    @staticmethod
    def sizes(op, net):
        """Returns {name: length} of the buffers that exist. A length is at least 1, even for an empty batch."""
        states = net.sides * net.rows * net.units
        sizes = {"packed": max(net.sides * net.packed, states)}
        if op.mode == "gru":
            sizes["hidden_grads"] = states
        if op.mode in ("lstm", "gru"):
            sizes["carry"] = net.sides * net.batch * net.units
        if op.num_layers > 1:
            if op.mode != "gru" or net.sides == 2:
                sizes["below"] = net.rows * net.width
            if net.sides == 2:
                sizes["part"] = net.rows * net.width
            if op.p > 0:
                sizes["masked"] = net.rows * net.width
        return {name: max(count, 1) for name, count in sizes.items()}


def _gates_side(net):
    return net.rows * net.gates * net.units


def backward_steps(net, layer, out, out_grad, places):
    """Yields the Phases for all time steps, and one for the gradients of the initial states."""
    size = net.batch * net.units

    def states(place):
        return ABSENT if place is None else net.states(layer, place)

    for step in range(net.steps + 1):
        yield Phase(
            f"{STEPS[net.op.mode]}_back", net.dtype, net.step_parts, step=step, steps=net.steps, batch=net.batch,
            units=net.units, directions=net.sides, activation=TANH if net.op.mode == "rnn_tanh" else RELU,
            weights=at(places.packed, 0, net.packed), gates=net.reserve_view(layer, "gates", places.reserve),
            kept=net.reserve_view(layer, "cells" if net.op.mode == "lstm" else "hidden", places.reserve),
            out=at(*out, net.units), state=states(places.state), cell=states(places.cell),
            out_grad=at(*out_grad, net.units), last_grad=states(places.last_grads[0]),
            last_cell_grad=states(places.last_grads[1]), grads=at(places.grads, 0, _gates_side(net)),
            hidden_grads=_hidden_grads(net, places),
            carry=ABSENT if places.carry is None else at(places.carry, 0, size),
            state_grad=states(places.first_grads[0]), cell_grad=states(places.first_grads[1]))


def masked(net, layer, source, target, places):
    """Returns the Phase that multiplies the outputs of the layer below, or their gradient, by the mask."""
    count = net.rows * net.width
    return Phase("recurrent_mask", net.dtype, parts(count), source=at(*source),
                 mask=at(places.reserve, net.reserve[f"{layer - 1}_mask"]), target=at(*target), count=count)


def _hidden_grads(net, places):
    return ABSENT if places.hidden_grads is None else at(places.hidden_grads, 0, net.rows * net.units)


def weight_grads(net, layer, x, out, places):
    """Returns the Phases for the weights (gradsᵀ · inputs, gradsᵀ · the states before each step) and biases (sums).

    For gru's recurrent candidate, separate gradients replace those of the input part.
    """
    yield Phase("recurrent_before", net.dtype, parts(net.sides * net.rows * net.units), steps=net.steps,
                batch=net.batch, units=net.units, directions=net.sides, out=at(*out, net.units),
                state=net.states(layer, places.state), before=at(places.before, 0, net.rows * net.units))
    depth, gates, side_size = net.depth(layer), net.gates * net.units, net.rows * net.units
    common = gates if places.hidden_grads is None else gates - net.units
    for side in range(net.sides):
        grads = Matrix(places.grads, 1, gates, first=side * _gates_side(net))
        before = Matrix(places.before, net.units, 1, first=side * side_size)
        yield _weight_grad(net, layer, side, "i2h_weight", gates, grads, Matrix(x[0], depth, 1, first=x[1]), places)
        yield _weight_grad(net, layer, side, "h2h_weight", common, grads, before, places)
        if common < gates:
            hidden = Matrix(places.hidden_grads, 1, net.units, first=side * side_size)
            yield _weight_grad(net, layer, side, "h2h_weight", net.units, hidden, before, places, common)
    i2h, h2h = [net.parameter(layer, f"{name}_bias", places.parameters_grad) for name in ("i2h", "h2h")]
    yield _sums(net, gates, at(places.grads, 0, _gates_side(net)), i2h, h2h)
    if common < gates:
        yield _sums(net, net.units, _hidden_grads(net, places), at(h2h[0], h2h[1] + common, h2h[2]))


def _weight_grad(net, layer, side, name, rows, grads, source, places, first=0):
    """Returns the Phase for some rows of a weight's gradient, from row `first` on."""
    place, begin, step = net.parameter(layer, name, places.parameters_grad)
    return product(net.dtype, (rows, source.row), net.rows, grads, source, place,
                   out_first=begin + side * step + first * source.row)


def _sums(net, columns, grads, sums, again=ABSENT):
    """Returns the Phase for the gradients of biases, which are added equally to all rows."""
    return Phase("recurrent_sums", net.dtype, parts(net.sides * max(net.rows, 1) * columns), rows=net.rows,
                 columns=columns, directions=net.sides, grads=grads, sums=sums, again=again)


def input_grad(net, layer, grads, part, target):
    """Returns the Phase for grads · weights. The product for the second direction is added to the product for the
    first, in `part`."""
    columns = net.gates * net.units
    for side in range(net.sides):
        weight, depth = net.weights(layer, side, "i2h_weight")
        is_last = side == net.sides - 1
        yield product(net.dtype, (net.rows, depth), columns, Matrix(grads, columns, 1, first=side * _gates_side(net)),
                      weight, target if is_last else part, bias=part if side else -1, matrix=bool(side),
                      beta=1.0 if side else 0.0)
