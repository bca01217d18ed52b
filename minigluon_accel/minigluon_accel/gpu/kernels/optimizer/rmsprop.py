"""Steps of RMSProp, in both published variants."""

from ..registry import kernel_for
from .update import COMMON, attributes, step


@kernel_for("rmsprop_update")
def rmsprop(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *COMMON, "gamma1", "epsilon", "clip_weights"))


@kernel_for("rmspropalex_update")
def rmspropalex(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *COMMON, "gamma1", "gamma2", "epsilon", "clip_weights"))
