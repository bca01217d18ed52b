"""Positions of an RNN's packed parameters, after the vector of all parameters (see `rnn_packed.py`)."""

from typing import NamedTuple

from ..nn.matrix_packed import multiplying, packed_length, packing
from .rnn_layers import at

__all__ = ["PackedWeights"]


class PackedWeights(NamedTuple):
    """recurrent: offsets of the steps' weights.

    inputs: {(layer, side): offset of the input weight}. end: the offset after the last weight.
    """

    recurrent: int
    inputs: dict
    end: int

    @classmethod
    def behind(cls, first, net):
        """Returns the positions after the first `first` elements."""
        end, inputs = first + net.op.num_layers * net.sides * net.packed, {}
        for layer in range(net.op.num_layers):
            for side in range(net.sides):
                inputs[layer, side] = end
                end += packed_length(net.gates * net.units, net.depth(layer))
        return cls(first, inputs, end)

    def packing(self, net, layer, out):
        """Returns the Phases for a layer, from the vector to the packed part, both in the array `out`."""
        yield net.pack(out, layer, first=self._steps(net, layer))
        for side in range(net.sides):
            weight, depth = net.weights(layer, side, "i2h_weight")
            place, bias, step = net.parameter(layer, "i2h_bias")
            yield packing(net.dtype, net.gates * net.units, depth, weight.place, place, out, weight_at=weight.first,
                          bias_at=bias + side * step, out_at=self.inputs[layer, side])

    def weights(self, net, layer):
        """Returns the packed recurrent weights of a layer."""
        return at(net.parameters.place, self._steps(net, layer), net.packed)

    def product(self, net, layer, side, x, out, out_at):
        """Returns the Phase that multiplies the inputs of all time steps, at x, by their weight, and adds the bias."""
        return multiplying(net.dtype, (net.rows, net.gates * net.units), net.depth(layer), data=x[0], data_at=x[1],
                           packed=net.parameters.place, packed_at=self.inputs[layer, side], out=out, out_at=out_at)

    def _steps(self, net, layer):
        return self.recurrent + layer * net.sides * net.packed
