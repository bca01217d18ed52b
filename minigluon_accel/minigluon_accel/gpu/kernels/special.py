"""The derivatives of log Γ."""

import numpy as np

from ..launch import THREADS, In, Launch, Out, Work, blocks, size, types
from .registry import kernel_for


@kernel_for("_polygamma")
def polygamma(op, inputs, outputs):
    count = size(outputs[0])
    if not count:
        return Work()
    return Work(Launch("special.cu", "polygamma_of", types(inputs[0].dtype), blocks(count), THREADS,
                       [Out(0), In(0), count, np.int32(op.n)]))
