"""Layers: matrix products, convolution, pooling, normalization, activations, dropout, losses' outputs."""

from . import (
    activation,
    attention,
    batch_norm,
    cached_attention,
    convolution,
    convolution_kernels,
    correlation,
    ctc,
    deformable,
    dropout,
    first_versions,
    matrix,
    normalization,
    output,
    pooling,
    pooling_kernels,
    pooling_winners,
    resize,
    softmax,
    windows,
)
