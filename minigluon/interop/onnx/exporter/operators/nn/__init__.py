"""Operators of neural networks: see `minigluon.ops.nn`."""

from ...table import listed
from . import (
    activation,
    attention,
    convolution,
    dropout,
    first_versions,
    matrix,
    normalization,
    output,
    pooling,
    resize,
    softmax,
    windows,
)

__all__ = ["activation", "attention", "convolution", "dropout", "first_versions", "matrix", "normalization", "output",
           "pooling", "resize", "softmax", "windows"]

listed("ONNX has no loss over alignments", "CTCLoss")
listed("it writes into its caches, and an ONNX file has no state", "_contrib_cached_attention")
listed("ONNX has no correlation of shifted patches of two images", "Correlation")
listed("ONNX's DeformConv treats windows at the border differently",
       "_contrib_DeformableConvolution", "_contrib_ModulatedDeformableConvolution", "_deformable_columns")
listed("only passes of a plan insert it; the graph of a program does not contain it",
       "_attention", "_attention_dropout", "_max_pooling_argmax")
