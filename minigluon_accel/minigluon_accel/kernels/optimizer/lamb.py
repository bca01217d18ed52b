"""Steps of LAMB, in two phases."""

from ..registry import kernel_for
from .update import chosen, step


@kernel_for("lamb_update_phase1")
def lamb1(op, inputs, outputs):
    if op.bias_correction and op.t < 1:
        return f"t={op.t}"
    corrections = (1 - op.beta1 ** op.t, 1 - op.beta2 ** op.t) if op.bias_correction else (1, 1)
    return step(op.name, op, inputs, **chosen(op, "beta1", "beta2", "epsilon"), correction1=corrections[0],
                correction2=corrections[1], **chosen(op, "wd", "rescale_grad", "clip_gradient"))


@kernel_for("lamb_update_phase2")
def lamb2(op, inputs, outputs):
    return step(op.name, op, inputs, **chosen(op, "lr", "lower_bound", "upper_bound"))
