"""Type conversions, and the gradient of a loss."""

import numpy as np

from ....ops.array.convert import Cast, _cast_like, _make_loss_grad
from ....ops.numeric import cast
from ..blocks import by_blocks
from ..table import kernel_for


@kernel_for(Cast, _cast_like)
def converted(op, inputs, outputs):
    source, target = inputs[0].dtype, outputs[0].dtype
    if source.kind == "f" and target.kind in "iu":
        run = by_blocks(lambda x: cast(x, target))
        return lambda inputs, targets: run(inputs[:1], targets)
    return lambda inputs, targets: np.copyto(targets[0], inputs[0], casting="unsafe")


@kernel_for(_make_loss_grad)
def make_loss_grad(op, inputs, outputs):
    if op.normalization == "valid":
        return "a divisor that depends on the values"
    value = op.value(inputs[0].shape, inputs[0].dtype)
    return lambda inputs, targets: targets[0].fill(value)
