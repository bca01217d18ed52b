"""Layers: matrix products, convolution, pooling, normalization, activations, dropout, and output layers with a loss."""

from . import (
    activation,
    batch_norm,
    cached_attention,
    convolution,
    convolution_kernels,
    dropout,
    first_versions,
    fused_attention,
    fused_attention_dropout,
    matrix,
    normalization,
    output,
    pooling,
    pooling_argmax,
    pooling_kernels,
    resize,
    softmax,
    windows,
)
