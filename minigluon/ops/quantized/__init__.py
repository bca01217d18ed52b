"""Operators on integers of few bits: conversions from and to floats, and the layers of quantized networks."""

from . import (
    activation,
    batch_norm,
    broadcast,
    calibration,
    convolution,
    fused,
    indexing,
    joining,
    linear,
    matrix,
    pooling,
    shape,
    weights,
)
