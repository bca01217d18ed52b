"""Products, convolutions, pooling, normalization, softmax, dropout."""

from . import (
    activation,
    batch_chain,
    batch_norm,
    cached_attention,
    convolution,
    convolution_blocks,
    convolution_fused,
    convolution_packed,
    deformable,
    dense_across,
    dense_packed,
    dropout,
    fused_attention,
    fused_attention_dropped,
    matrix,
    normalization,
    output,
    pooling,
    pooling_winners,
    softmax,
)
