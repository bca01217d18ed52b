"""Max pooling with non-overlapping windows, whose argmax indices are saved for the gradient."""

from ..registry import kernel_for
from .pooling import by_images


@kernel_for("_max_pooling_argmax")
def max_pooling_argmax(op, inputs, outputs):
    return by_images("pool_argmax", op, [inputs[0], outputs[0]], inputs[0], tiled="pool_2x2_argmax")


@kernel_for("_max_pooling_argmax_grad")
def max_pooling_argmax_grad(op, inputs, outputs):
    return by_images("pool_argmax_grad", op, [inputs[0], outputs[0]], outputs[0], tiled="pool_2x2_argmax_grad")
