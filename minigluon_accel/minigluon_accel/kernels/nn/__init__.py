"""Products, convolutions, pooling, normalization, softmax and dropout."""

from . import (
    activation,
    batch_norm,
    cached_attention,
    convolution,
    convolution_blocks,
    convolution_fused,
    convolution_packed,
    deformable,
    dropout,
    fused_attention,
    fused_attention_dropout,
    matrix,
    matrix_batch_panels,
    matrix_packed,
    normalization,
    output,
    pooling,
    pooling_argmax,
    softmax,
)
