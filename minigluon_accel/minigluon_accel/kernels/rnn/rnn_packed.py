"""RNN in inference plans: parameters are joined and recurrent weights are packed before the first call."""

import numpy as np

from minigluon.hybrid.parameter_constants import PrepackOp
from minigluon.ops.op import Op
from minigluon.ops.rnn.layout import parameter_size
from minigluon.ops.shapes import Spec

from ...engine import Call
from ...strides import StridedView
from ..array.joining import consecutive
from ..movement import move
from ..registry import kernel_for, size
from .rnn import RNNOperands, forward_phases
from .rnn_layers import Layers
from .rnn_packed_weights import PackedWeights

__all__ = ["PackedRNN", "RNNPrepack"]


class RNNPrepack(PrepackOp):
    """The parameters of an RNN as one vector, followed by the packed weights of all layers.

    These are the recurrent weights in the order in which the steps read them, and the other weights, with their biases,
    in the order of `matrix_packed`.

    rnn: the operator. size: data's last axis. isa: the instruction set, which determines the order.

    Inputs: the parameters, in the vector's order.
    """

    name = "_pack_rnn"
    fields = dict.fromkeys(("rnn", "size", "isa"))

    def layers(self, dtype, place=0):
        """Returns the Layers for one step and one item; the parameters are the same for all sizes.

        place: the vector's index.
        """
        return Layers.of(self.rnn, Spec((1, 1, self.size), dtype), place)

    def infer_shape(self, *shapes):
        net = self.layers(np.dtype("float32"))
        return list(shapes), [(PackedWeights.behind(parameter_size(self.rnn, self.size), net).end,)]

    def forward(self, *inputs):
        result = np.empty(self.infer_shape()[1][0], inputs[0].dtype)
        call = pack_rnn(self, [Spec(x.shape, x.dtype) for x in inputs], [Spec(result.shape, result.dtype)])
        call(list(inputs), [result])
        return result


@kernel_for("_pack_rnn")
def pack_rnn(op, inputs, outputs):
    place, lengths = len(inputs), [size(spec) for spec in inputs]
    net = op.layers(outputs[0].dtype, place)
    views = consecutive(StridedView(outputs[0].shape), 0, lengths)
    joined = [move(spec.dtype.itemsize, number, place, StridedView((length,)), view)
              for number, (spec, length, view) in enumerate(zip(inputs, lengths, views, strict=True))]
    ready = PackedWeights.behind(sum(lengths), net)
    return Call(*joined, *[phase for layer in range(op.rnn.num_layers) for phase in ready.packing(net, layer, place)])


class PackedRNN(Op):
    """An RNN whose parameters `RNNPrepack` has packed. Nothing is dropped.

    Inputs: those of the RNN, with the packed vector instead of the parameters.
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
    return Call(*forward_phases(net, RNNOperands(len(inputs), len(outputs), ready=PackedWeights.behind(op.ready, net))))
