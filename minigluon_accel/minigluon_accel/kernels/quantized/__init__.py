"""Operators on 8-bit integers. Their results are exactly those of the reference."""

from . import activation, batch_norm, broadcast, convolution, joining, linear, matrix, matrix_packed, pooling
