"""RNN and its gradients, written to the given reserve and arrays (`ops/rnn/kernels`)."""

from ....ops.rnn import kernels
from ....ops.rnn.rnn import RNN, _backward_RNN, _rnn_data_grad
from ..table import kernel_for

_DECLINED = "a dtype that is computed in a wider type"


@kernel_for(RNN)
def forward(op, inputs, outputs, train, rng):
    if inputs[0].dtype != outputs[-1].dtype:
        return _DECLINED
    return lambda inputs, targets: kernels.forward(op, inputs, targets, train, rng)


@kernel_for(_backward_RNN)
def backward(op, inputs, outputs):
    if inputs[0].dtype != inputs[-1].dtype:
        return _DECLINED
    return lambda inputs, targets: kernels.backward(op, *op.parts(inputs), targets)


@kernel_for(_rnn_data_grad)
def data_grad(op, inputs, outputs):
    if inputs[0].dtype != inputs[1].dtype:
        return _DECLINED
    return lambda inputs, targets: kernels.data_grad(op, *inputs, *targets)
