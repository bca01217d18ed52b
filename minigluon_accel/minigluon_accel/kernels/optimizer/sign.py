"""Steps that use the sign of the gradient."""

from ..registry import kernel_for
from .update import chosen, step


@kernel_for("signsgd_update")
def signsgd(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "wd", "rescale_grad", "clip_gradient"))


@kernel_for("signum_update")
def signum(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "momentum", "wd", "rescale_grad", "clip_gradient", "wd_lh"))
