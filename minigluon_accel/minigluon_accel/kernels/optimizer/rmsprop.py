"""Steps of RMSProp, in both published variants."""

from ..registry import kernel_for
from .update import chosen, step


@kernel_for("rmsprop_update", "rmspropalex_update")
def rmsprop(op, inputs, outputs):
    return step(op.name, op, inputs, lr=op.lr, gamma1=op.gamma1, gamma2=getattr(op, "gamma2", 0),
                **chosen(op, "epsilon", "wd", "rescale_grad", "clip_gradient", "clip_weights"))
