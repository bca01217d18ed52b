"""Activations."""

import math

from ......ops.nn.activation import SELU_SCALE, SELU_SLOPE
from ...table import translates

__all__ = []

_NAMES = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign"}


@translates("Activation")
def activation(g, op, data):
    return g.call(_NAMES[op.act_type], data)


@translates("LeakyReLU")
def leaky_relu(g, op, data, gamma=None):
    """Writes a leaky ReLU; the slope of rrelu is the mean of its bounds, as at inference."""
    if op.act_type == "leaky":
        return g.LeakyRelu(data, alpha=op.slope)
    if op.act_type == "rrelu":
        return g.LeakyRelu(data, alpha=(op.lower_bound + op.upper_bound) / 2)
    if op.act_type == "elu":
        return g.Elu(data, alpha=op.slope)
    if op.act_type == "selu":
        return g.Selu(data, alpha=SELU_SLOPE, gamma=SELU_SCALE)
    if op.act_type == "gelu":
        return g.Gelu(data) if g.opset >= 20 else 0.5 * data * (1 + g.Erf(data / math.sqrt(2)))
    if gamma.rank == 1 and data.rank > 1:           # one slope per channel
        gamma = g.reshape(gamma, (*gamma.shape, *(1,) * (data.rank - 2)))
    elif gamma.rank < data.rank:
        gamma = g.reshape(gamma, (*gamma.shape, *(1,) * (data.rank - gamma.rank)))
    return g.PRelu(data, gamma)


@translates("_along_channels")
def along_channels(g, op, vector, like):
    shape = (*vector.shape, *(1,) * (like.rank - 2)) if like.rank > 1 else vector.shape
    return g.expand(g.reshape(vector, shape), like.shape)


@translates("_sum_channels")
def sum_channels(g, op, data, like):
    axes = [axis for axis in range(data.rank) if axis != min(1, data.rank - 1)]
    total = g.reduce("Sum", data, axes)
    return g.reduce("Sum", total, [0], keepdims=True) if like.shape == (1,) else total


