"""Products, convolutions, pooling, normalization, softmax, dropout."""

from . import convolution, convolution_fused, dropout, matrix, normalization, pooling, softmax, winograd
