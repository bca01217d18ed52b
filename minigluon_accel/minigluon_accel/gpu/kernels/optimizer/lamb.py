"""Steps of LAMB, in two phases."""

import numpy as np

from ..registry import kernel_for
from .update import attributes, step


@kernel_for("lamb_update_phase1", "mp_lamb_update_phase1")
def lamb_direction(op, inputs, outputs):
    if op.bias_correction and op.t < 1:
        return f"t={op.t}"
    corrections = (1 - op.beta1 ** op.t, 1 - op.beta2 ** op.t) if op.bias_correction else (1, 1)
    numbers = attributes(op, "rescale_grad", "clip_gradient", "wd", "beta1", "beta2", "epsilon")
    return step(op, inputs, outputs, [*numbers, *corrections, np.bool_(op.bias_correction)], "lamb_update_phase1")


@kernel_for("lamb_update_phase2", "mp_lamb_update_phase2")
def lamb_step(op, inputs, outputs):
    return step(op, inputs, outputs, attributes(op, "lr", "lower_bound", "upper_bound"), "lamb_update_phase2")
