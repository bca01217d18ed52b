"""Activations."""

import math
from typing import Literal

import numpy as np

from ...base import ArgumentError
from ..kinds import Elementwise
from ..math import special
from ..math.elementwise import softsign_gradient
from ..numeric import cast, sum_along
from ..op import Op
from ..registry import REGISTRY, register
from ..shapes import broadcast, is_known

__all__ = ["Activation", "LeakyReLU"]


@register("data")
class Activation(Elementwise):
    """Applies act_type to each element.

    relu max(x, 0) | sigmoid 1 / (1 + e⁻ˣ) | tanh | softrelu log(1 + eˣ) | softsign x / (1 + |x|)

    data (any shape) | out like data

    act_type: the function to apply.

    >>> print(nd.Activation(nd.array([-1, 0, 3]), act_type="relu").asnumpy())
    [0. 0. 3.]
    >>> print(nd.Activation(nd.array([-1, 0, 3]), act_type="softsign").asnumpy())
    [-0.5   0.    0.75]
    """

    act_type: Literal["relu", "sigmoid", "tanh", "softrelu", "softsign"]

    def infer_dtype(self, *dtypes):
        self.require_numbers(*dtypes)
        return super().infer_dtype(*dtypes)

    @property
    def keeps(self):
        return ("inputs",) if self.act_type in ("softrelu", "softsign") else ("outputs",)

    def forward(self, data):
        if self.act_type == "softrelu":
            return cast(np.logaddexp(data, data.dtype.type(0)), data.dtype)
        if self.act_type == "softsign":
            return cast(data / (1 + np.abs(data)), data.dtype)
        return REGISTRY[self.act_type].forward(data)

    def gradient(self, F, out_grads, inputs, outputs):
        g, x, y = out_grads[0], inputs[0], outputs[0]
        if self.act_type == "softrelu":
            return g * F.sigmoid(x)         # computed from the result, 1 - e⁻ʸ would lose the digits of a small e⁻ʸ
        if self.act_type == "softsign":
            return softsign_gradient(F, g, x)
        return REGISTRY[self.act_type].derivative(F, g, x, y)


SELU_SCALE = 1.0507009873554805
SELU_SLOPE = 1.6732632423543772
DENSITY = (2 * math.pi) ** -0.5         # the normal density at 0


@register("data", "gamma")
class LeakyReLU(Op):
    """data where it is positive; elsewhere

    leaky slope · x | elu slope · (eˣ - 1) | prelu gamma · x | rrelu a random slope in [lower_bound, upper_bound)
    selu λ α (eˣ - 1), and λ x above | gelu x Φ(x) everywhere, with Φ the normal distribution function

    data (N, C, ...) | gamma (C,) or (1,), or slopes for the first axes of data, only with prelu | out like data
    hidden with rrelu: the slope of each element

    act_type: the function to apply.
    slope: the factor of leaky and elu.
    lower_bound: the minimum slope that rrelu draws in training; in prediction the slope is the mean of the two bounds.
    upper_bound: the exclusive upper bound of the slopes that rrelu draws.

    Source: Maas et al. 2013 (leaky), Clevert et al. arXiv:1511.07289 (elu), He et al. arXiv:1502.01852 (prelu),
    Xu et al. arXiv:1505.00853 (rrelu), Klambauer et al. arXiv:1706.02515 (selu), Hendrycks and Gimpel
    arXiv:1606.08415 (gelu).

    >>> print(nd.LeakyReLU(nd.array([-4, 0, 2]), act_type="leaky", slope=0.25).asnumpy())
    [-1.  0.  2.]
    >>> print(nd.LeakyReLU(nd.array([[-4, -4]]), nd.array([0.5, 2]), act_type="prelu").asnumpy())
    [[-2. -8.]]
    """

    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky"
    slope: float = 0.25
    lower_bound: float = 0.125
    upper_bound: float = 0.334
    output_names = ("output",)

    @property
    def takes_train(self):
        return self.act_type == "rrelu"

    random = takes_train

    @property
    def elementwise(self):
        return self.act_type not in ("prelu", "rrelu")

    @property
    def num_outputs(self):
        return 2 if self.act_type == "rrelu" else 1

    @property
    def keeps(self):
        return ("outputs",) if self.act_type == "rrelu" else ("inputs",)

    def list_arguments(self):
        return self.arguments if self.act_type == "prelu" else self.arguments[:1]

    def infer_dtype(self, *dtypes):
        self.require_numbers(*dtypes)
        return super().infer_dtype(*dtypes)

    def infer_shape(self, data, gamma=None):
        if self.act_type == "rrelu" and not -math.inf < self.lower_bound <= self.upper_bound < math.inf:
            raise ArgumentError(f"{self.name}: lower_bound={self.lower_bound:g} must not be above "
                                f"upper_bound={self.upper_bound:g}")
        if self.act_type != "prelu":
            return [data], [data] * self.num_outputs
        return [data, require_channels(self, "gamma", gamma, data)], [data]

    def forward(self, data, gamma=None, *, train=False, rng=None):
        zero = data.dtype.type(0)
        if self.act_type == "leaky":
            return np.where(data > 0, data, data * data.dtype.type(self.slope))
        if self.act_type == "elu":
            below = data.dtype.type(self.slope) * np.expm1(np.minimum(data, zero))
            return cast(np.where(data > 0, data, below), data.dtype)
        if self.act_type == "selu":
            below = data.dtype.type(SELU_SLOPE) * np.expm1(np.minimum(data, zero))
            return cast(data.dtype.type(SELU_SCALE) * np.where(data > 0, data, below), data.dtype)
        if self.act_type == "gelu":
            return special.in_float64(gelu)(data)
        if self.act_type == "prelu":
            return np.where(data > 0, data, data * gamma.reshape(channel_shape(gamma.shape, data.shape)))
        low, high = self.lower_bound, self.upper_bound
        slopes = rng.uniform(low, high, data.shape) if train else np.full(data.shape, (low + high) / 2)
        slopes = np.where(data > 0, 1, slopes).astype(data.dtype)
        return data * slopes, slopes

    def gradient(self, F, out_grads, inputs, outputs):
        g, x = out_grads[0], inputs[0]
        if self.act_type == "leaky":
            return g * ((x > 0) + self.slope * (x <= 0))
        if self.act_type == "elu":
            return g * exponential_slope(F, x, 1.0, self.slope)
        if self.act_type == "selu":
            return g * exponential_slope(F, x, SELU_SCALE, SELU_SCALE * SELU_SLOPE)
        if self.act_type == "gelu":
            return g * F._gelu_slope(x)
        if self.act_type == "rrelu":
            return g * outputs[1]
        below = x <= 0
        return [g * ((x > 0) + F._along_channels(inputs[1], x) * below), F._sum_channels(g * x * below, inputs[1])]


def exponential_slope(F, x, above, below):
    """Returns `above` where x is positive, else below · eˣ. Computing the latter as y + below would lose digits."""
    power = F.exp(F._minimum_scalar(x, scalar=0.0))             # 1 where x is positive
    return power if above == below == 1 else below * power + (above - below) * (x > 0)


def gelu(x):
    """Returns x Φ(x), and 0 at -∞, where it would be ∞ · 0."""
    return np.maximum(x, np.finfo(x.dtype).min) * special.normal_distribution(x)


def gelu_slope(x):
    """Returns the derivative of x Φ(x): Φ(x) + x φ(x), with the normal density φ."""
    limited = np.clip(x, -1e3, 1e3)         # beyond this the density is 0, and infinity times 0 would be NaN
    return special.normal_distribution(x) + limited * np.exp(limited * limited / -2) * DENSITY


@register("data")
class _gelu_slope(Elementwise):
    """The derivative of gelu. data (any shape) | out like data"""

    keeps = ("inputs",)

    def forward(self, data):
        return special.in_float64(gelu_slope)(data)

    def gradient(self, F, out_grads, inputs, outputs):
        square = F.square(inputs[0])
        return out_grads[0] * (2 - square) * F.exp(square * -0.5) * DENSITY


def require_channels(op, argument, shape, data):
    """Returns the shape of slopes: (C,) along axis 1 of data, (1,) for all, or a shape whose axes have data's length or
    1.

    A vector that does not fit axis 1 is applied to axis 0. If data has one or two axes, slopes may have the same axes,
    as in MXNet.
    """
    if data is None or shape == (1,) or (shape is not None and shape == data[:1]):
        return shape
    if shape is not None and len(shape) > 1:
        first = data[:len(shape)]
        stretched = broadcast(shape, first) if len(shape) < max(len(data), 3) else False
        if stretched is False or (is_known(first) and stretched != first):
            raise op.shape_clash(f"{argument} has shape {shape}, expected lengths of the first axes of data {data}, or "
                                 "1, and fewer of them", argument)
        return shape
    return op.require(argument, shape, (data[1] if len(data) > 1 else 1,))


def channel_shape(slopes, data):
    """Returns the slopes' shape, extended to broadcast over data: a vector along axis 1 if it fits, other shapes
    starting at the first axis. """
    axes = 2 if len(slopes) == 1 and len(data) > 1 and slopes[0] in (1, data[1]) else len(slopes)
    return (*slopes, *(1,) * (len(data) - axes))


@register("vector", "like")
class _along_channels(Op):
    """(C,) or (1,) stretched over the shape of like, (N, C, ...). Several axes of data match the first axes of like."""

    keeps = ("inputs",)
    shape_only = ("like",)

    def infer_shape(self, vector, like):
        return [require_channels(self, "vector", vector, like), like], [like]

    def forward(self, vector, like):
        return np.broadcast_to(vector.reshape(channel_shape(vector.shape, like.shape)), like.shape).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._sum_channels(out_grads[0], inputs[0]), None]


def summed_axes(slopes, data):
    """Returns the axes of data over which a gradient is summed to obtain the slopes' shape."""
    shape = channel_shape(slopes, data)
    shape = (1,) * (len(data) - len(shape)) + shape
    return tuple(i for i, n in enumerate(shape) if n == 1)


@register("data", "like")
class _sum_channels(Op):
    """The adjoint of `_along_channels`: data (N, C, ...) summed to the shape of like."""

    keeps = ("inputs",)
    shape_only = ("like",)

    def infer_shape(self, data, like):
        like = require_channels(self, "like", like, data)
        return [data, like], [like]

    def forward(self, data, like):
        return sum_along(data, summed_axes(like.shape, data.shape), data.dtype).reshape(like.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._along_channels(out_grads[0], inputs[0]), None]
