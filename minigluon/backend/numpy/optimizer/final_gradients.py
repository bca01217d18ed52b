"""Copies of final gradients, about which the receiver is told."""

from ....ops import REGISTRY
from ....ops.optimizer.final_gradients import receiver
from ..table import kernel_for


@kernel_for(REGISTRY["_final_gradients"])
def final_gradients(op, inputs, outputs):
    def run(inputs, targets):
        copies = inputs[2::3]
        for grad, copy in zip(inputs[1::3], copies, strict=True):
            copy[...] = grad
        if receiver.receive is not None:
            receiver.receive(copies)
    return run
