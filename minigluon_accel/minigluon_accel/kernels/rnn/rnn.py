"""RNN, forward: for each layer a product for all times, then step after step; see `csrc/rnn/rnn.c`."""

import itertools
import math
from typing import NamedTuple

from minigluon.backend import Spec
from minigluon.ops.rnn.layout import GATES, parameter_shapes, reserve_shapes

from ...engine import Call, Phase
from ..nn.dropout import DRAWS, dropping, state_of
from ..nn.matrix import Matrix, product
from ..registry import kernel_for, parts, reals

__all__ = ["ABSENT", "Layers", "at"]

ABSENT = (-1, 0, 0)     # no array
LANES = 16              # of the widest vectors: panels of packed weights are at most so wide
MACS = 2 ** 18          # multiplications: a part of some microseconds, since a step has no more than some hundred
RELU, TANH = 0, 1
STEPS = {"lstm": "lstm", "gru": "gru", "rnn_relu": "plain", "rnn_tanh": "plain"}


def at(place, first=0, side=0):
    """An array for a kernel: its place in io, its first element there, and how far behind it that of direction r is."""
    return place, first, side


class Layers(NamedTuple):
    """The sizes of a RNN, and where its arrays are. gates: how many; sides: 1 or 2 directions."""

    op: object
    dtype: object
    steps: int
    batch: int
    inputs: int
    units: int
    gates: int
    sides: int
    parameters: dict        # name -> first element in the vector of parameters
    reserve: dict           # name -> first element in the reserve
    place: int              # of the vector of parameters among the inputs

    @classmethod
    def of(cls, op, data, place):
        steps, batch, inputs = data.shape
        return cls(op, data.dtype, steps, batch, inputs, op.state_size, GATES[op.mode], op.sides,
                   _firsts(parameter_shapes(op, inputs)), _firsts(reserve_shapes(op, steps, batch)), place)

    @property
    def rows(self):
        return self.steps * self.batch

    @property
    def width(self):
        """Of a layer's output."""
        return self.sides * self.units

    @property
    def packed(self):
        """Numbers of a direction's packed recurrent weights, at most."""
        return self.gates * self.units * math.ceil(self.units / LANES) * LANES

    @property
    def step_parts(self):
        return parts(self.sides * self.batch * self.gates * self.units ** 2, MACS) if self.batch else 0

    def depth(self, layer):
        """Of a layer's inputs."""
        return self.width if layer else self.inputs

    def parameter(self, layer, name, place=None):
        """A parameter of both directions of a layer; place: of the vector, where it is another one of that kind."""
        return at(self.place if place is None else place, *_sides(self.parameters, f"{layer}_{name}"))

    def kept(self, layer, name, place):
        """An array of both directions of a layer in the reserve; ABSENT where there is none."""
        return at(place, *_sides(self.reserve, f"{layer}_{name}")) if f"l{layer}_{name}" in self.reserve else ABSENT

    def states(self, layer, place):
        """The states of both directions of a layer, in an array with those of all layers."""
        size = self.batch * self.units
        return at(place, layer * self.sides * size, size)

    def weights(self, layer, side, name):
        """(the Matrix, its columns) of a weight as it lies in the vector of parameters."""
        columns = self.depth(layer) if name == "i2h_weight" else self.units
        _, first, step = self.parameter(layer, name)
        return Matrix(self.place, columns, 1, first=first + side * step), columns

    def pack(self, place, layer, backward=False):
        """The Phase that packs the recurrent weights: (gates · units, units), or backward the same as one matrix."""
        units, rows = self.units, self.gates * self.units
        matrices, depth, along, across = (1, rows, units, 1) if backward else (self.gates, units, 1, units)
        return Phase("recurrent_pack", self.dtype, parts(self.sides * rows * units),
                     **{"from": self.parameter(layer, "h2h_weight")}, packed=at(place, 0, self.packed),
                     directions=self.sides, matrices=matrices, far=units * units, depth=depth, columns=units,
                     along=along, across=across)


def _firsts(shapes):
    """{name: number of the first element}, for arrays one behind the other."""
    return dict(zip(shapes, itertools.accumulate(map(math.prod, shapes.values()), initial=0), strict=False))


def _sides(firsts, name):
    """(first element of direction l, how far behind it that of r is) of 'l0_gates' and 'r0_gates', by '0_gates'."""
    first = firsts[f"l{name}"]
    return first, firsts.get(f"r{name}", first) - first


def declined(op, data, specs):
    """Why there is no kernel, or None."""
    reason = reals(data, *specs)
    if reason:
        return reason
    if op.projection_size or op.lstm_state_clip_min is not None or op.use_sequence_length:
        return "projection_size, lstm_state_clip_min or use_sequence_length"
    return None if data.shape[0] else "no steps"


@kernel_for("RNN")
def rnn(op, inputs, outputs, train, rng):
    reason = declined(op, inputs[0], [*inputs, *outputs])
    if reason:
        return reason
    dropped = op.p > 0 and op.num_layers > 1
    state = state_of(rng) if dropped and train else None
    if isinstance(state, str):
        return state
    net = Layers.of(op, inputs[0], 1)
    places = Places(len(inputs), len(outputs))
    phases, x = [], (0, 0)                              # a layer's input: place, first element
    for layer in range(op.num_layers):
        out = places.out if layer == op.num_layers - 1 else places.reserve
        first = net.reserve.get(f"{layer}_outputs", 0)
        phases += [*_from_inputs(net, layer, x, places), net.pack(places.packed, layer),
                   *_steps(net, layer, at(out, first, net.units), places)]
        x = out, first
        if dropped and layer < op.num_layers - 1:
            drop, x = _drop(net, layer, x, places, train and state)
            phases += drop
    scratch = [Spec((net.sides * net.packed,), net.dtype)]
    if dropped:
        scratch += [Spec((net.rows * net.width,), net.dtype), DRAWS]
    return Call(*phases, scratch=scratch)


class Places:
    """Of what RNN works on."""

    def __init__(self, inputs, outputs):
        self.state, self.cell = 2, 3 if inputs > 3 else None
        self.out = inputs
        self.lasts = range(inputs + 1, inputs + outputs - 1)    # with state_outputs
        self.reserve = inputs + outputs - 1
        self.packed, self.dropped, self.draws = range(inputs + outputs, inputs + outputs + 3)


def _from_inputs(net, layer, x, places):
    """The products of the inputs of all times with their weights, and the bias, where the gates will be."""
    for side in range(net.sides):
        weight, depth = net.weights(layer, side, "i2h_weight")
        bias, gates = net.parameter(layer, "i2h_bias"), net.kept(layer, "gates", places.reserve)
        yield product(net.dtype, (net.rows, net.gates * net.units), depth, Matrix(x[0], depth, 1, first=x[1]), weight.T,
                      gates[0], bias[0], out_first=gates[1] + side * gates[2], bias_first=bias[1] + side * bias[2])


def _steps(net, layer, out, places):
    lasts = [net.states(layer, place) for place in places.lasts]
    last, last_cell = (*lasts, ABSENT, ABSENT)[:2]
    for step in range(net.steps):
        yield Phase(
            f"{STEPS[net.op.mode]}_step", net.dtype, net.step_parts, step=step, steps=net.steps, batch=net.batch,
            units=net.units, directions=net.sides, activation=TANH if net.op.mode == "rnn_tanh" else RELU,
            weights=at(places.packed, 0, net.packed), bias=net.parameter(layer, "h2h_bias"),
            gates=net.kept(layer, "gates", places.reserve),
            kept=net.kept(layer, "cells" if net.op.mode == "lstm" else "hidden", places.reserve), out=out,
            state=net.states(layer, places.state),
            cell=net.states(layer, places.cell) if places.cell else ABSENT, last=last, last_cell=last_cell)


def _drop(net, layer, x, places, state):
    """(the Phases that drop some of a layer's outputs and fill the mask, what the next layer takes).

    state: of the generator, or None where nothing is dropped.
    """
    count, first = net.rows * net.width, net.reserve[f"{layer}_mask"]
    if state is None or state is False:
        return [Phase("recurrent_fill", net.dtype, parts(count), array=at(places.reserve, first), count=count,
                      value=1.0)], x
    return dropping(net.dtype, state, net.op.p, count, data=x[0], out=places.dropped, mask=places.reserve,
                    draws=places.draws, data_first=x[1], mask_first=first), (places.dropped, 0)
