"""Gradient descent steps: plain, with momentum, and with Nesterov momentum."""

from ..registry import kernel_for
from .update import COMMON, PLAIN_SOURCE, attributes, step


@kernel_for("sgd_update", "mp_sgd_update", "sgd_mom_update", "mp_sgd_mom_update", "nag_mom_update",
            "mp_nag_mom_update")
def sgd(op, inputs, outputs):
    numbers = attributes(op, *COMMON, *(["momentum"] if "mom" in op.mutates else []))
    return step(op, inputs, outputs, numbers, op.name.removeprefix("mp_"), PLAIN_SOURCE)
