"""softmax and related operators, on rows along the middle axis of (outer, count, inner); see `csrc/nn/softmax.c`."""

import math

from minigluon.ops.shapes import around

from ...engine import Call, Phase
from ..registry import kernel_for, parts, reals, size

__all__ = ["EXP", "by_rows"]

EXP = 4         # the cost of exp, in additions


def by_rows(kernel, spec, shape, logarithm=False, factor=1.0):
    """Returns the Call of a kernel that works on rows of `count` elements; shape is (outer, count, inner)."""
    outer, count, inner = shape
    rows = outer if inner == 1 else outer * inner
    return Call(Phase(kernel, spec.dtype, min(parts(EXP * size(spec)), rows), outer=outer, count=count, inner=inner,
                      logarithm=logarithm, factor=factor))


@kernel_for("softmax", "softmin", "log_softmax")
def softmax(op, inputs, outputs):
    reason = reals(*inputs[:1], *outputs)
    if reason or op.use_length:
        return reason or "use_length"
    factor = op.factor
    if not 0 < abs(factor) < math.inf:
        return f"temperature {op.temperature}"
    return by_rows("softmax", inputs[0], around(inputs[0].shape, op.axis), op.name == "log_softmax", factor)


@kernel_for("_softmax_grad", "_log_softmax_grad")
def softmax_grad(op, inputs, outputs):
    return reals(*inputs, *outputs) or by_rows(
        "softmax_grad", outputs[0], around(outputs[0].shape, op.axis), op.name == "_log_softmax_grad")


@kernel_for("SoftmaxActivation")
def softmax_activation(op, inputs, outputs):
    return reals(*inputs) or by_rows("softmax", inputs[0], around(op.flat_shape(inputs[0].shape), 1))
