"""Operators on integers. The results of those on 8-bit integers are exactly those of the reference."""

from . import activation, batch_norm, broadcast, convolution, joining, linear, matrix, matrix_packed, pooling, weights
