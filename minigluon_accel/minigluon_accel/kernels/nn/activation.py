"""Activation, LeakyReLU, and the operators for PReLU's parameters (one parameter per channel)."""

from minigluon.ops.nn.activation import SELU_SCALE, SELU_SLOPE, channel_shape, summed_axes

from .. import programs
from ..loops import loops, single_loop, writes
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


loops({"_gelu_slope": "gelu_slope"})


@kernel_for("Activation", "LeakyReLU", "_gelu_slope")
def activation(op, inputs, outputs):
    return single_loop(op, inputs, outputs)


@kernel_for("_sum_channels")
def sum_channels(op, inputs, outputs):
    return reduce("sum", inputs, list(summed_axes(outputs[0].shape, inputs[0].shape)), outputs[0])


@kernel_for("_along_channels")
def along_channels(op, inputs, outputs):
    return programs.stretch(inputs, channel_shape(inputs[0].shape, outputs[0].shape), outputs[0])

