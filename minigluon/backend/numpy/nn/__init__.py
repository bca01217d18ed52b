"""Layers: products, convolution, pooling, normalization, activations, dropout, losses' outputs."""

from . import (
    activation,
    batch_norm,
    cached_attention,
    convolution,
    dropout,
    matrix,
    normalization,
    output,
    pooling,
    pooling_argmax,
    softmax,
)
