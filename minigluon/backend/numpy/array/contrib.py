"""Kernels of the operators in `ops/array/contrib.py`."""

import math

import numpy as np

from ....ops.array.contrib import _contrib_div_sqrt_dim
from ..table import kernel_for


@kernel_for(_contrib_div_sqrt_dim)
def div_sqrt_dim(op, inputs, outputs):
    data = inputs[0]
    if data.dtype.kind != "f":
        return f"dtype {data.dtype}"
    root = np.array(math.sqrt(data.shape[-1]), data.dtype)
    return lambda inputs, targets: np.divide(inputs[0], root, targets[0])
