"""Layers: matrix products, convolutions, pooling, normalizations, softmax, resizing."""

from . import convolution, matrix, normalization, pooling, resize, softmax
