"""Steps of Adam and AdamW."""

from ..registry import kernel_for
from .update import chosen, step


@kernel_for("adam_update")
def adam(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "beta1", "beta2", "epsilon", "wd", "rescale_grad",
                                              "clip_gradient"))


@kernel_for("_adamw_update")
def adamw(op, inputs, outputs):
    return step("adamw_update", op, inputs, **chosen(op, "lr", "beta1", "beta2", "epsilon", "wd", "eta",
                                                     "clip_gradient"))
