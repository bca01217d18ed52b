"""An example: addition."""

from ..engine import Call, Phase
from .registry import kernel_for, parts, reals, size


@kernel_for("elemwise_add")
def add(op, inputs, outputs):
    count = size(outputs[0])
    return reals(*inputs) or Call(Phase("add", outputs[0].dtype, parts(count), size=count))
