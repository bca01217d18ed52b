"""Rectangular parts of arrays, and their adjoints, which write the part into an array of zeros."""

import numpy as np

from ....ops.array.slicing import Box
from ..table import adjoint_kernel_for, kernel_for


@kernel_for(Box)
def box(op, inputs, outputs):
    key = op.key(*[spec.shape for spec in inputs])
    return lambda inputs, targets: np.copyto(targets[0], inputs[0][key])


@adjoint_kernel_for(Box)
def box_grad(op, inputs, outputs):
    key = op.key(*[spec.shape for spec in inputs[1:]])

    def run(inputs, targets):
        targets[0].fill(0)
        targets[0][key] = inputs[0]
    return run
