"""Steps that use the sign of the gradient."""

from ..registry import kernel_for
from .update import COMMON, PLAIN_SOURCE, attributes, step


@kernel_for("signsgd_update")
def signsgd(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, "lr", "wd"), source=PLAIN_SOURCE)


@kernel_for("signum_update")
def signum(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, *COMMON, "momentum", "wd_lh"), source=PLAIN_SOURCE)
