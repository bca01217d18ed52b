"""Activations, and the gradient of prelu's slopes: a sum over all axes except the channels."""

import math

from minigluon import symbol as sym
from minigluon.backend.wide import wide_dtype
from minigluon.name import NameManager
from minigluon.ops.nn.activation import summed_axes

from ...expressions import elementwise, reason_against
from ...launch import In, Launch, Out, SourceFile, Work, types
from ..compose import work_of_graph
from ..registry import kernel_for

SOURCE = SourceFile("nn/activation.cu")
SUMMING = 256       # the number of threads that sum a channel


@kernel_for("Activation", "_along_channels", "_gelu_slope")
def activation(op, inputs, outputs):
    return elementwise(op, inputs, outputs)


@kernel_for("LeakyReLU")
def leaky_relu(op, inputs, outputs, train, rng, device):
    """Composes rrelu from other operators, because its slopes are also an output."""
    if op.act_type != "rrelu":
        return elementwise(op, inputs, outputs)
    data, shape = sym.var("in0"), inputs[0].shape
    with NameManager():
        if train:
            slopes = sym._random_uniform(low=op.lower_bound, high=op.upper_bound, shape=shape, dtype="float64")
        else:
            slopes = sym._full(value=(op.lower_bound + op.upper_bound) / 2, shape=shape, dtype="float64")
        dtype, computed = inputs[0].dtype.name, wide_dtype(inputs[0].dtype).name
        slopes = sym.Cast(sym.where(data > 0, sym.ones_like(slopes), slopes), dtype=computed)
        if computed == dtype:
            results = [data * slopes, slopes]
        else:
            products = sym.Cast(data, dtype=computed) * slopes
            results = [sym.Cast(products, dtype=dtype), sym.Cast(slopes, dtype=dtype)]
    return work_of_graph(op, [data], results, inputs, outputs, (train, rng, device))


@kernel_for("_sum_channels")
def sum_channels(op, inputs, outputs, train, rng, device):
    """Uses one block per channel; a slope that all channels share counts as one channel.

    The gradient of slopes with several axes is a general sum.
    """
    data, out = inputs[0], outputs[0]
    if len(out.shape) > 1:
        variables = [sym.var("in0"), sym.var("in1")]
        with NameManager():
            total = sym.sum(variables[0], axis=summed_axes(out.shape, data.shape)).reshape(out.shape)
        return work_of_graph(op, variables, [total], inputs, outputs, (train, rng, device))
    shape = data.shape if len(data.shape) > 1 else (1, *data.shape)
    channels = out.shape[0]
    if channels == 1:
        outer, inner = 1, math.prod(shape)
    else:
        outer, inner = shape[0], math.prod(shape[2:])
    if not channels:
        return Work()
    return reason_against(data) or Work(Launch(SOURCE, "sum_channels", types(data.dtype), channels, SUMMING,
                                         [Out(0), In(0), channels, outer, inner]))
