"""Activation, LeakyReLU, and the operators of PReLU's parameters, one for each channel."""

from minigluon.ops.nn.activation import SELU_SCALE, SELU_SLOPE

from .. import programs
from ..loops import alone, writes
from ..reductions import reduce
from ..registry import kernel_for


@writes("Activation")
def write_activation(op, lines, operands):
    return lines.add(op.act_type, *operands)


@writes("LeakyReLU")
def write_leaky(op, lines, operands):
    if op.act_type in ("prelu", "rrelu"):
        return None
    p, q = {"selu": (SELU_SCALE, SELU_SLOPE)}.get(op.act_type, (op.slope, 0.0))
    return lines.add(op.act_type, *operands, p=p, q=q)


@kernel_for("Activation", "LeakyReLU")
def activation(op, inputs, outputs):
    return alone(op, inputs, outputs)


@kernel_for("_sum_channels")
def sum_channels(op, inputs, outputs):
    channels = outputs[0].shape == inputs[0].shape[1:2] or len(inputs[0].shape) == 1
    axes = [a for a in range(len(inputs[0].shape)) if a != 1 or not channels]
    return reduce("sum", inputs, axes, outputs[0])


@kernel_for("_along_channels")
def along_channels(op, inputs, outputs):
    return programs.stretch(inputs, channel_shape(inputs[0].shape, outputs[0].shape), outputs[0])


def channel_shape(vector, like):
    """(C,) or (1,) in a shape that stretches along axis 1."""
    return (*vector, *(1,) * (len(like) - 2)) if len(like) > 1 else vector
