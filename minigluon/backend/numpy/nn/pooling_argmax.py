"""Max pooling that saves the argmax of each window."""

from ....ops.nn.pooling_argmax import _max_pooling_argmax, _max_pooling_argmax_grad
from ..table import Writer, kernel_for


@kernel_for(_max_pooling_argmax)
def max_pooling_argmax(op, inputs, outputs):
    winners = op.winners(inputs[0].shape)
    return Writer(lambda inputs, targets: winners.forward(inputs[0], *targets),
                  winners.forward_scratch(inputs[0].dtype))


@kernel_for(_max_pooling_argmax_grad)
def max_pooling_argmax_grad(op, inputs, outputs):
    winners = op.winners(outputs[0].shape)
    return Writer(lambda inputs, targets: winners.gradient(*inputs[:2], *targets), winners.gradient_scratch())
