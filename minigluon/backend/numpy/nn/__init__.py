"""Layers: products, convolution, pooling, normalization, activations, dropout, and losses' outputs."""

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
