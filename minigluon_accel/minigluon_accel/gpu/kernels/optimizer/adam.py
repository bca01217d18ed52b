"""Steps of Adam and AdamW."""

from ..registry import kernel_for
from .update import COMMON, attributes, step


@kernel_for("adam_update")
def adam(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *COMMON, "beta1", "beta2", "epsilon"))


@kernel_for("_adamw_update", "_mp_adamw_update")
def adamw(op, inputs, outputs):
    numbers = attributes(op, "clip_gradient", "lr", "wd", "beta1", "beta2", "epsilon", "eta")
    return step(op, inputs, outputs, numbers, "adamw_update")
