"""Optimizer steps for several weights, which overwrite weights and states."""

from ....ops.optimizer.multi_tensor import InPlaceMultiUpdate
from ....ops.optimizer.update import in_pieces
from ..table import kernel_for


@kernel_for(InPlaceMultiUpdate)
def steps(op, inputs, outputs):
    def run(inputs, targets):
        for how, arrays, lr, wd in op.each(inputs):
            in_pieces(lambda *pieces: op.step(how, *pieces, lr, wd), arrays,        # noqa: B023 (runs at once)
                      [arrays[0], *arrays[2:]])
    return run
