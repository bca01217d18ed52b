"""Optimizer steps for one weight, computed in pieces that stay in the cache, with states overwritten."""

from ....ops.optimizer.update import Update, in_pieces
from ..table import kernel_for


@kernel_for(Update)
def update(op, inputs, outputs):
    if any(spec.shape != inputs[0].shape for spec in inputs):
        return "shapes that differ"
    step = op.forward
    mutated = [op.arguments.index(name) for name in op.mutates]

    def run(inputs, targets):
        in_pieces(step, inputs, (targets[0], *[inputs[i] for i in mutated]))
    return run
