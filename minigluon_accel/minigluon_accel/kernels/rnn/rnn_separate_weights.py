"""Unidirectional RNN with separate parameter arrays, and its gradients, for plans with gradients.

A vector of all parameters would duplicate the parameters, and a vector of all gradients would duplicate the gradients.
"""

import math

import numpy as np

from minigluon.ops.op import Op
from minigluon.ops.rnn.layout import parameter_shapes, views

from ..registry import kernel_for
from .rnn import backward_call, data_grad_call, forward_call
from .rnn_grad import RNNGradOperands
from .rnn_layers import Layers, SeparateArrays

__all__ = ["SeparateWeightsRNN", "SeparateWeightsRNNDataGrad", "SeparateWeightsRNNGrad"]


class _SeparateWeightsOp(Op):
    """The common base class of the three operators.

    rnn: the operator that this one replaces. size: data's last axis.
    """

    arguments = ("inputs",)
    variadic = True
    fields = dict.fromkeys(("rnn", "size"))
    gradient = None

    @classmethod
    def complete(cls, attributes):
        return attributes

    @property
    def shapes(self):
        """The shapes of the parameters."""
        return list(parameter_shapes(self.rnn, self.size).values())

    @property
    def total(self):
        """The total length of the parameters."""
        return sum(map(math.prod, self.shapes))

    @property
    def count(self):
        return len(self.shapes)


class SeparateWeightsRNN(_SeparateWeightsOp):
    """RNN. Inputs: data, each parameter separately, and the states."""

    name = "_rnn_separate_weights"

    @property
    def num_outputs(self):
        return self.rnn.num_outputs

    @property
    def takes_train(self):
        return self.rnn.takes_train

    random = takes_train

    def infer_shape(self, data, *others):
        states = others[self.count:]
        return [data, *others], self.rnn.infer_shape(data, (self.total,), *states)[1]

    def infer_dtype(self, data, *others):
        return [data, *others], self.rnn.infer_dtype(data, *others[self.count - 1:])[1]

    def forward(self, data, *others, **more):
        return self.rnn.forward(data, joined(others[:self.count]), *others[self.count:], **more)


class SeparateWeightsRNNGrad(_SeparateWeightsOp):
    """_backward_RNN. Its inputs include each parameter separately, and its outputs include their gradients."""

    name = "_rnn_separate_weights_grad"

    @property
    def num_outputs(self):
        return self.rnn.num_outputs - 1 + self.count

    @property
    def first(self):
        """The index of the first parameter among the inputs."""
        return self.rnn.list_arguments().index("parameters")

    def names(self):
        """The names of the inputs, in the form that `RNNGradOperands` expects."""
        names, first = list(self.rnn.list_arguments()), self.first
        return [*names[:first + 1], *[f"parameter{k}" for k in range(1, self.count)], *names[first + 1:]]

    def infer_shape(self, *shapes):
        results = self.rnn.infer_shape(*self._joined(shapes, (self.total,)))[1]
        return list(shapes), [*self.shapes, *results[1:]]

    def infer_dtype(self, *dtypes):
        results = self.rnn.infer_dtype(*self._joined(dtypes, dtypes[self.first]))[1]
        return list(dtypes), [*[results[0]] * self.count, *results[1:]]

    def forward(self, *inputs):
        parameters = joined(inputs[self.first:self.first + self.count])
        grad, *others = self.rnn.forward(*self._joined(inputs, parameters))
        return [*views(grad, dict(enumerate(self.shapes))).values(), *others]

    def _joined(self, inputs, parameters):
        return [*inputs[:self.first], parameters, *inputs[self.first + self.count:]]


class SeparateWeightsRNNDataGrad(_SeparateWeightsOp):
    """_rnn_data_grad. Inputs: gate_grads, and the weight of the first layer's inputs."""

    name = "_rnn_separate_weights_data_grad"

    def infer_shape(self, gate_grads, weight):
        return [gate_grads, weight], [(*gate_grads[1:3], self.size)]

    def infer_dtype(self, gate_grads, weight):
        return [gate_grads, weight], [weight]

    def forward(self, gate_grads, weight):
        return np.matmul(gate_grads[0], weight)


def joined(parameters):
    """Returns a single vector of all parameters."""
    return np.concatenate([x.ravel() for x in parameters])


@kernel_for("_rnn_separate_weights")
def rnn_separate_weights(op, inputs, outputs, train, rng):
    return forward_call(Layers.of(op.rnn, inputs[0], 1, SeparateArrays), op.count, inputs, outputs, train, rng)


@kernel_for("_rnn_separate_weights_grad")
def rnn_separate_weights_grad(op, inputs, outputs):
    places = RNNGradOperands(op.names(), outputs, op.count)
    data = inputs[places.data]
    return backward_call(Layers.of(op.rnn, data, places.parameters, SeparateArrays), places, data, inputs, outputs)


@kernel_for("_rnn_separate_weights_data_grad")
def rnn_separate_weights_data_grad(op, inputs, outputs):
    return data_grad_call(Layers.of(op.rnn, outputs[0], 1, SeparateArrays), inputs, outputs)
