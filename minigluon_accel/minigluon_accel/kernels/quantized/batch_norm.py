"""Batch normalization of quantized arrays."""

import math

import numpy as np

from minigluon.backend import Spec

from ...engine import Call, Phase
from ..integer_steps import elementwise, normalize, not_reals
from ..registry import kernel_for, size

__all__ = ["factors"]


@kernel_for("_contrib_quantized_batch_norm")
def quantized_batch_norm(op, inputs, outputs):
    data, gamma, *_ = inputs
    if not size(data):
        return "no elements"
    axis = op.axis % len(data.shape)
    channels, inner = data.shape[axis], math.prod(data.shape[axis + 1:])
    outer = math.prod(data.shape[:axis])
    by_line, shape = (channels, (outer * channels, inner)) if inner > 1 else (0, (outer, channels))
    row = normalize(op, beta=2, mean=3, factor=10)
    return not_reals(*inputs[1:]) or Call(
        factors(op, channels, 1, 4, 10),
        elementwise(data, outputs[0], [row], 0, 5, 6, 7, 8, 9, shape, by_line),
        scratch=[Spec((channels,), np.dtype("float32"))], writes_inputs=False)


def factors(op, channels, gamma, var, out, out_at=0):
    """Returns the Phase that computes the factors of channels. gamma, var, out: indices; out_at: bytes."""
    return Phase("integer_factors", None, 1, size=channels, gamma=gamma, var=var, out=out, out_at=out_at, eps=op.eps)
