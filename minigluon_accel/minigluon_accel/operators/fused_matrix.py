"""Operators that passes put in place of a fully connected layer and what follows it."""

from .fused_convolution import CompositeOp

__all__ = ["MatrixRelu"]


class MatrixRelu(CompositeOp):
    """A fully connected layer, and of its result what is above 0. Inputs: those of `FullyConnected`."""

    name = "_fully_connected_relu"
