"""Kernels for the operators of `minigluon_accel.gpu.passes.fuse_relu`: the existing kernels, followed by relu."""

from ..registry import kernel_for
from .convolution import convolved
from .matrix import layer

__all__ = []


@kernel_for("_conv_relu")
def conv_relu(op, inputs, outputs, device):
    return convolved(op.program[0][0], inputs, outputs, device, relu=True)


@kernel_for("_fully_connected_relu")
def fully_connected_relu(op, inputs, outputs, device):
    return layer(op.program[0][0], inputs, device, relu=True)
