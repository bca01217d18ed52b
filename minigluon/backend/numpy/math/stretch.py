"""Stretched axes, and sums over them."""

import numpy as np

from ....ops.math.stretch import Stretch, _stretch_like, _sum_like, broadcast_like
from ....ops.numeric import sum_along
from ....ops.shapes import size_of
from ..table import kernel_for


@kernel_for(Stretch, _stretch_like, broadcast_like)
def stretched(op, inputs, outputs):
    """Copies the data; NumPy broadcasts it to the target's shape."""
    return lambda inputs, targets: np.copyto(targets[0], inputs[0])


@kernel_for(_sum_like)
def sum_like(op, inputs, outputs):
    shape, target = inputs[0].shape, outputs[0].shape
    if size_of(shape) == size_of(target):
        return lambda inputs, targets: np.copyto(targets[0], inputs[0].reshape(target))
    full = (1,) * (len(shape) - len(target)) + target
    axes = tuple(i for i, (n, m) in enumerate(zip(shape, full, strict=True)) if n != m)
    dtype = outputs[0].dtype
    return lambda inputs, targets: sum_along(inputs[0], axes, dtype, targets[0].reshape(full), True)
