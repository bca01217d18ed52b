"""Sizes and array positions of a recurrent network's layers, shared by the forward and backward passes."""

import math
from typing import NamedTuple

from minigluon.ops.rnn.layout import GATES, firsts, parameter_shapes, reserve_shapes

from ...engine import Phase
from ..matrix_product import Matrix
from ..registry import parts, reals

__all__ = ["ABSENT", "RELU", "STEPS", "TANH", "Layers", "PackedVector", "SeparateArrays", "at", "reason_against"]

ABSENT = (-1, 0, 0)     # no array
LANES = 16              # the number of lanes in the widest vectors: the maximum width of packed weight panels
MACS = 2 ** 18          # multiplications in a part of a few microseconds, because a step takes at most a few hundred
RELU, TANH = 0, 1
STEPS = {"lstm": "lstm", "gru": "gru", "rnn_relu": "plain", "rnn_tanh": "plain"}


def at(place, first=0, side=0):
    """Returns an array for a kernel: its index in io, its first element, and the distance to direction r."""
    return place, first, side


class PackedVector(NamedTuple):
    """Parameter positions in one vector. firsts: {name: first element}."""

    place: int
    firsts: dict

    @classmethod
    def of(cls, op, inputs, place):
        return cls(place, firsts(parameter_shapes(op, inputs)))

    def find(self, name):
        """Returns (index, first element in that array) of a parameter."""
        return self.place, self.firsts[name]


class SeparateArrays(NamedTuple):
    """Parameter positions as separate arrays, in the vector's order, starting at index `place`.

    numbers: {name: its index}.
    """

    place: int
    numbers: dict

    @classmethod
    def of(cls, op, inputs, place):
        return cls(place, {name: number for number, name in enumerate(parameter_shapes(op, inputs))})

    def find(self, name):
        return self.place + self.numbers[name], 0


class Layers(NamedTuple):
    """The sizes of an RNN, and its array positions.

    gates: the number of gates; sides: 1 or 2 directions, and 1 for `SeparateArrays`.
    """

    op: object
    dtype: object
    steps: int
    batch: int
    inputs: int
    units: int
    gates: int
    sides: int
    parameters: object      # a PackedVector or a SeparateArrays
    reserve: dict           # name -> first element in the reserve

    @classmethod
    def of(cls, op, data, place, kind=PackedVector):
        """Returns the Layers of an operator. place: the index of the parameters among the inputs."""
        steps, batch, inputs = data.shape
        return cls(op, data.dtype, steps, batch, inputs, op.state_size, GATES[op.mode], op.sides,
                   kind.of(op, inputs, place), firsts(reserve_shapes(op, steps, batch)))

    @property
    def rows(self):
        return self.steps * self.batch

    @property
    def width(self):
        """The width of a layer's output."""
        return self.sides * self.units

    @property
    def packed(self):
        """The maximum length of a direction's packed recurrent weights."""
        return self.gates * self.units * math.ceil(self.units / LANES) * LANES

    @property
    def step_parts(self):
        return parts(self.sides * self.batch * self.gates * self.units ** 2, MACS) if self.batch else 0

    def depth(self, layer):
        """Returns the width of a layer's inputs."""
        return self.width if layer else self.inputs

    def parameter(self, layer, name, place=None):
        """Returns a parameter of both directions of a layer.

        place: the index of another parameter array laid out in the same way.
        """
        where = self.parameters if place is None else self.parameters._replace(place=place)
        first_place, first = where.find(f"l{layer}_{name}")
        return at(first_place, first, where.find(f"r{layer}_{name}")[1] - first if self.sides == 2 else 0)

    def reserve_view(self, layer, name, place):
        """Returns an array of both directions of a layer in the reserve, or ABSENT if there is none."""
        return at(place, *_sides(self.reserve, f"{layer}_{name}")) if f"l{layer}_{name}" in self.reserve else ABSENT

    def states(self, layer, place):
        """Returns the states of both directions of a layer, within the array for all layers."""
        size = self.batch * self.units
        return at(place, layer * self.sides * size, size)

    def weights(self, layer, side, name):
        """Returns (the Matrix, its columns) of a weight."""
        columns = self.depth(layer) if name == "i2h_weight" else self.units
        place, first, step = self.parameter(layer, name)
        return Matrix(place, columns, 1, first=first + side * step), columns

    def pack(self, place, layer, backward=False, first=0):
        """Returns the Phase that packs the recurrent weights, (gates · units, units), or, for backward steps, one
        matrix.

        place, first: the index of the target array, and the offset in it.
        """
        units, rows = self.units, self.gates * self.units
        matrices, depth, along, across = (1, rows, units, 1) if backward else (self.gates, units, 1, units)
        return Phase("recurrent_pack", self.dtype, parts(self.sides * rows * units),
                     weights=self.parameter(layer, "h2h_weight"), packed=at(place, first, self.packed),
                     directions=self.sides, matrices=matrices, far=units * units, depth=depth, columns=units,
                     along=along, across=across)


def _sides(firsts, name):
    """Given '0_gates', returns (first element of 'l0_gates', distance from there to 'r0_gates')."""
    first = firsts[f"l{name}"]
    return first, firsts.get(f"r{name}", first) - first


def reason_against(op, data, specs):
    """Returns the reason why there is no kernel, or None."""
    reason = reals(data, *specs)
    if reason:
        return reason
    if op.projection_size or op.lstm_state_clip_min is not None or op.use_sequence_length:
        return "projection_size, lstm_state_clip_min or use_sequence_length"
    return None if data.shape[0] else "no steps"
