"""Operators that passes substitute for a fully connected layer and the operators after it."""

from .fused_convolution import CompositeOp

__all__ = ["MatrixRelu"]


class MatrixRelu(CompositeOp):
    """A fully connected layer followed by relu. Inputs: those of `FullyConnected`."""

    name = "_fully_connected_relu"
