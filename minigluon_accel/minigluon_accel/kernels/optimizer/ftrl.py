"""Follow-the-leader steps: FTRL and FTML."""

from ..registry import kernel_for
from .update import chosen, step


@kernel_for("ftrl_update")
def ftrl(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "lamda1", "beta", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("ftml_update")
def ftml(op, inputs, outputs):
    return step(op.name, op, inputs, rate=(1 - op.beta1 ** op.t) / op.lr, correction=1 - op.beta2 ** op.t,
                **chosen(op, "beta1", "beta2", "epsilon", "wd", "rescale_grad", "clip_grad"))
