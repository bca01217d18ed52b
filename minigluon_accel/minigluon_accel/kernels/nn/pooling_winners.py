"""Max pooling of windows that lie apart, whose winners are kept for the gradient."""

from ..registry import kernel_for
from .pooling import by_images


@kernel_for("_max_pooling_winners")
def max_pooling_winners(op, inputs, outputs):
    return by_images("pool_winners", op, [inputs[0], outputs[0]], inputs[0], tiled="pool_2x2_winners")


@kernel_for("_max_pooling_winners_grad")
def max_pooling_winners_grad(op, inputs, outputs):
    return by_images("pool_winners_grad", op, [inputs[0], outputs[0]], outputs[0], tiled="pool_2x2_winners_grad")
