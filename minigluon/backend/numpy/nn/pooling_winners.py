"""Max pooling that remembers which element of each window has won."""

from ....ops.nn.pooling_winners import _max_pooling_winners, _max_pooling_winners_grad
from ..table import Writer, kernel_for


@kernel_for(_max_pooling_winners)
def max_pooling_winners(op, inputs, outputs):
    winners = op.winners(inputs[0].shape)
    return Writer(lambda inputs, targets: winners.forward(inputs[0], *targets),
                  winners.forward_scratch(inputs[0].dtype))


@kernel_for(_max_pooling_winners_grad)
def max_pooling_winners_grad(op, inputs, outputs):
    winners = op.winners(outputs[0].shape)
    return Writer(lambda inputs, targets: winners.gradient(*inputs[:2], *targets), winners.gradient_scratch())
