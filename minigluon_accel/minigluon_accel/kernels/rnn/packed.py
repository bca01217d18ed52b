"""RNN in plans that only infer: parameters are joined and recurrent weights packed before the first call."""

import numpy as np

from minigluon.hybrid.prepared import Preparation
from minigluon.ops.op import Op
from minigluon.ops.rnn.layout import parameter_size
from minigluon.ops.shapes import Spec

from ...engine import Call
from ..registry import kernel_for
from .layers import Layers
from .rnn import Places, forward_phases

__all__ = ["PackRNN", "PackedRNN"]


class PackRNN(Preparation):
    """The parameters of a RNN as one vector, and behind it the recurrent weights of all layers as the steps read them.

    rnn: the operator. size: data's last axis. isa: the instruction set, on which the order depends.

    Inputs: the parameters, in the vector's order.
    """

    name = "_pack_rnn"
    fields = dict.fromkeys(("rnn", "size", "isa"))

    def layers(self, dtype):
        """Of one step and one item: the parameters are the same for all."""
        return Layers.of(self.rnn, Spec((1, 1, self.size), dtype), 0)

    def infer_shape(self, *shapes):
        net = self.layers(np.dtype("float32"))
        return list(shapes), [(parameter_size(self.rnn, self.size) + self.rnn.num_layers * net.sides * net.packed,)]

    def forward(self, *inputs):
        result, ready = np.empty(self.infer_shape()[1][0], inputs[0].dtype), parameter_size(self.rnn, self.size)
        np.concatenate([x.reshape(-1) for x in inputs], out=result[:ready])
        net = self.layers(result.dtype)
        Call(*[net.pack(0, layer, first=ready + layer * net.sides * net.packed)
               for layer in range(self.rnn.num_layers)])([result], [])
        return result


class PackedRNN(Op):
    """A RNN whose parameters `PackRNN` has packed. Nothing is dropped.

    Inputs: those of the RNN, with such a vector in place of the parameters.
    """

    name = "_packed_rnn"
    arguments = ("inputs",)
    variadic = True
    fields = {"rnn": None, "ready": None}
    gradient = None

    @classmethod
    def complete(cls, attributes):
        return attributes

    @property
    def num_outputs(self):
        return self.rnn.num_outputs

    def infer_shape(self, data, packed, *states):
        return [data, packed, *states], self.rnn.infer_shape(data, (self.ready,), *states)[1]

    def infer_dtype(self, *dtypes):
        return list(dtypes), self.rnn.infer_dtype(*dtypes)[1]

    def forward(self, data, packed, *states):
        more = {"train": False, "rng": None} if self.rnn.takes_train else {}
        return self.rnn.forward(data, packed[:self.ready], *states, **more)


@kernel_for("_packed_rnn")
def packed_rnn(op, inputs, outputs):
    net = Layers.of(op.rnn, inputs[0], 1)
    return Call(*forward_phases(net, Places(len(inputs), len(outputs), op.ready)))
