"""Follow-the-leader steps: FTRL and FTML."""

from ..registry import kernel_for
from .update import COMMON, attributes, step


@kernel_for("ftrl_update")
def ftrl(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *COMMON, "lamda1", "beta"))


@kernel_for("ftml_update")
def ftml(op, inputs, outputs):
    numbers = attributes(op, "rescale_grad", "clip_grad", "wd", "beta1", "beta2", "epsilon")
    return step(op, inputs, outputs, [*numbers, (1 - op.beta1 ** op.t) / op.lr, 1 - op.beta2 ** op.t])
