"""Kernels of the operators of `minigluon_accel.gpu.convolution_fused`: those of the operator before, with relu."""

from ...launch import In
from ..registry import kernel_for
from .convolution import forward
from .matrix import layer

__all__ = []


@kernel_for("_conv_relu")
def conv_relu(op, inputs, outputs, device):
    conv = op.program[0][0]
    return forward(conv.geometry(), inputs[0], inputs[1], outputs[0], device, bias=None if conv.no_bias else In(2),
                   relu=True)


@kernel_for("_fully_connected_relu")
def fully_connected_relu(op, inputs, outputs, device):
    return layer(op.program[0][0], inputs, device, relu=True)
