"""The gradient of prelu's slopes: a sum over all axes but that of the channels."""

import math

from ...launch import In, Launch, Out, Work, types
from ..math.elementwise import declined
from ..registry import kernel_for

SUMMING = 256       # threads that sum a channel


@kernel_for("_sum_channels")
def sum_channels(op, inputs, outputs):
    """A block for each channel; one slope for all channels is one channel."""
    data, out = inputs[0], outputs[0]
    shape = data.shape if len(data.shape) > 1 else (1, *data.shape)
    channels = out.shape[0]
    if channels == 1:
        outer, inner = 1, math.prod(shape)
    else:
        outer, inner = shape[0], math.prod(shape[2:])
    if not channels:
        return Work()
    return declined(data) or Work(Launch("nn/activation.cu", "sum_channels", types(data.dtype), channels, SUMMING,
                                         [Out(0), In(0), channels, outer, inner]))
