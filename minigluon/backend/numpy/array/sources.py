"""Arrays filled with one value."""

import numpy as np

from ....ops.array.sources import ConstantSource
from ..table import kernel_for


@kernel_for(ConstantSource)
def filled(op, inputs, outputs):
    value = np.array(op.value).astype(op.dtype)
    return lambda inputs, targets: targets[0].fill(value)
