"""Normalization over the axes of one item: LayerNorm, InstanceNorm, GroupNorm, L2Normalization and LRN.

The gradients use the mean and the standard deviation, which forward returns as outputs. These outputs also have
gradients, so second-order gradients need no further code. Only LayerNorm's gradient, which every transformer layer
needs, is an operator with its own kernels and gradient.
"""

import math
from typing import Literal

import numpy as np

from ...diagnostics.strictness import refuse
from ..math.statistics import root_of_squares
from ..numeric import sum_along
from ..op import Op
from ..registry import register

__all__ = ["GroupNorm", "InstanceNorm", "L2Normalization", "LRN", "LayerNorm"]


def mean_over(x, axes):
    """Returns the mean over axes, which are kept as axes of length 1."""
    total = sum_along(x, axes, keepdims=True)
    return np.divide(total, max(1, x.size // max(1, total.size)), dtype=x.dtype)


def moments(data, axes, eps):
    """Returns (data - mean) / std in at least float32, mean, and std = √(var + eps), with axes kept as length 1."""
    x = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
    mean = mean_over(x, axes)
    x = x - mean
    std = np.sqrt(mean_over(np.square(x), axes) + x.dtype.type(eps))
    x /= std
    return x, mean, std


def moments_gradient(F, grads, data, mean, std, normal, **axes):
    """Returns the gradient of data from the gradients of (data - mean) / std, mean and std. axes: as in a reduction."""
    g, of_mean, of_std = grads
    flow = F.broadcast_div(without_moments(F, g, normal, **axes), std)
    return with_moments_gradients(F, flow, of_mean, of_std, data, mean, std, normal)


def without_moments(F, v, normal, **axes):
    """Returns v - m(v) - normal · m(v · normal), where m is the mean along `axes`: the part of v that leaves mean and
    std unchanged. """
    def average(v):
        return F.mean(v, keepdims=True, **axes)

    return v - F.broadcast_add(average(v), F.broadcast_mul(normal, average(v * normal)))


def with_moments_gradients(F, flow, of_mean, of_std, data, mean, std, normal):
    """Returns the gradient of data plus the contributions of mean and std, which are None if unused."""
    if of_mean is None and of_std is None:
        return flow
    of_mean = F.zeros_like(mean) if of_mean is None else of_mean
    of_std = F.zeros_like(std) if of_std is None else of_std
    through = F.broadcast_add(F.broadcast_mul(normal, of_std), of_mean)
    return flow + F.broadcast_mul(through, F._mean_weight(data, mean))


class Moments(Op):
    """Base class of operators that normalize parts of data to mean 0 and variance 1, multiply by gamma and add beta.

    eps: added to the variance before the square root.
    output_mean_var: if True, also return mean and √(var + eps).
    """

    in_place = ("data",)
    num_outputs = 3
    takes_none = True

    @property
    def output_names(self):
        return ("output", "mean", "std") if self.output_mean_var else ("output",)

    def arranged(self, shape):
        """Returns (data's shape, axis, gamma's shape) such that each part of data lies along that axis."""
        raise NotImplementedError


@register("data", "gamma", "beta")
class LayerNorm(Moments):
    """Normalizes the elements along `axis` to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (any shape) | gamma, beta (data.shape[axis],) | out like data
    with output_mean_var also mean and √(var + eps), where the axis has length 1

    axis: the axis over which mean and variance are computed.

    Source: Ba, Kiros and Hinton, arXiv:1607.06450.

    >>> print(nd.LayerNorm(nd.array([[1, 5]]), nd.array([1, 2]), nd.array([0, 10]), eps=0).asnumpy())
    [[-1. 12.]]
    """

    axis: int = -1
    eps: float = 1e-5
    output_mean_var: bool = False

    def infer_shape(self, data, gamma, beta):
        count = (None,)
        if data is not None:
            axis = self.normalize_axis(self.axis, len(data))
            count = (data[axis],)
        count = self.require("beta", beta, self.require("gamma", gamma, count))
        if data is None:
            return [None, count, count], [None] * 3
        data = data[:axis] + count + data[axis + 1:]
        small = data[:axis] + (1,) + data[axis + 1:]
        return [data, count, count], [data, small, small]

    def forward(self, data, gamma, beta):
        axis = self.axis % data.ndim
        shape = [-1 if i == axis else 1 for i in range(data.ndim)]
        normal, mean, std = moments(data, axis, self.eps)
        normal *= gamma.reshape(shape)
        normal += beta.reshape(shape)
        return tuple(a.astype(data.dtype, copy=False) for a in (normal, mean, std))

    def arranged(self, shape):
        axis = self.axis % len(shape)
        return shape, axis, tuple(-1 if i == axis else 1 for i in range(len(shape)))

    def gradient(self, F, out_grads, inputs, outputs):
        (data, gamma, _), (_, mean, std), (g, of_mean, of_std) = inputs, outputs, out_grads
        g = F.zeros_like(data) if g is None else g
        flow, of_gamma, of_beta = F._layer_norm_grad(g, data, gamma, mean, std, axis=self.axis)
        if of_mean is not None or of_std is not None:
            normal = F.broadcast_div(F.broadcast_sub(data, mean), std)
            flow = with_moments_gradients(F, flow, of_mean, of_std, data, mean, std, normal)
        return [flow, of_gamma, of_beta]


@register("grad", "data", "gamma", "mean", "std")
class _layer_norm_grad(Op):
    """The gradients of a LayerNorm's data, gamma and beta, from the gradient of its result.

    grad, data (any shape) | gamma (data.shape[axis],) | mean, std like data, but with length 1 along the axis
    | data_grad like data | gamma_grad, beta_grad like gamma

    With normal = (data - mean) / std, w = grad · gamma and m, the mean along axis:

        data_grad = (w - m(w) - normal · m(w · normal)) / std, gamma_grad = Σ grad · normal, beta_grad = Σ grad

    axis: the axis of the LayerNorm.
    """

    axis: int = -1
    num_outputs = 3
    in_place = ("grad",)
    keeps = ("inputs",)

    def infer_shape(self, grad, data, gamma, mean, std):
        data = self.require("data", data, grad)
        if data is None:
            return [None, None, gamma, mean, std], [None] * 3
        axis = self.normalize_axis(self.axis, len(data))
        small = data[:axis] + (1,) + data[axis + 1:]
        gamma = self.require("gamma", gamma, (data[axis],))
        mean, std = self.require("mean", mean, small), self.require("std", std, small)
        return [data, data, gamma, mean, std], [data, gamma, gamma]

    def forward(self, grad, data, gamma, mean, std):
        axis = self.axis % data.ndim
        others = tuple(i for i in range(data.ndim) if i != axis)
        g, x, gamma, mean, std = (a.astype(np.promote_types(a.dtype, np.float32), copy=False)
                                  for a in (grad, data, gamma, mean, std))
        normal = (x - mean) / std
        along = g * normal
        of_gamma, of_beta = sum_along(along, others), sum_along(g, others)
        shape = [-1 if i == axis else 1 for i in range(data.ndim)]
        weighted = g * gamma.reshape(shape)
        along *= gamma.reshape(shape)
        normal *= mean_over(along, axis)
        flow = (weighted - mean_over(weighted, axis) - normal) / std
        return tuple(a.astype(data.dtype, copy=False) for a in (flow, of_gamma, of_beta))

    def gradient(self, F, out_grads, inputs, outputs):
        (a, b, c), (g, data, gamma, mean, std), axes = out_grads, inputs, {"axis": self.axis}

        def spread(v):
            return F._spread_like(v, data, exclude=True, **axes)

        def total(v):
            return F.sum(v, keepdims=True, **axes)

        def average(v):
            return F.mean(v, keepdims=True, **axes)

        # Σ a · data_grad = Σ u · P(w) = Σ w · P(u), where u = a / std and P is `without_moments`.
        normal, w, u = F.broadcast_div(F.broadcast_sub(data, mean), std), g * spread(gamma), F.broadcast_div(a, std)
        residual = without_moments(F, u, normal, **axes)
        to_normal = spread(b) * g - F.broadcast_mul(u, average(w * normal)) - F.broadcast_mul(w, average(u * normal))
        to_data = F.broadcast_div(to_normal, std)
        through = F.broadcast_div(u * without_moments(F, w, normal, **axes), std) + to_data * normal
        return [spread(gamma) * residual + spread(b) * normal + spread(c), to_data,
                F.sum(g * residual, exclude=True, **axes), -total(to_data), -total(through)]


@register("data", "gamma", "beta")
class InstanceNorm(Moments):
    """Normalizes each channel of each item to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (N, C, *space) | gamma, beta (C,) | out like data | hidden: mean and √(var + eps), with spatial axes of length
    1

    Source: Ulyanov, Vedaldi and Lempitsky, arXiv:1607.08022.

    >>> print(nd.InstanceNorm(nd.array([[[1, 5], [0, 2]]]), nd.array([1, 2]), nd.zeros(2), eps=0).asnumpy())
    [[[-1.  1.]
      [-2.  2.]]]
    """

    eps: float = 1e-3
    output_names = ("output",)

    def arranged(self, shape):
        return (*shape[:2], math.prod(shape[2:])), 2, (-1, 1)

    def infer_shape(self, data, gamma, beta):
        count = (None,)
        self.require_least_rank("data", data, 3)
        if data is not None:
            count = (data[1],)
        count = self.require("beta", beta, self.require("gamma", gamma, count))
        if data is None:
            return [None, count, count], [None] * 3
        data = data[:1] + count + data[2:]
        small = data[:2] + (1,) * (len(data) - 2)
        return [data, count, count], [data, small, small]

    def forward(self, data, gamma, beta):
        normal, mean, std = moments(data, tuple(range(2, data.ndim)), self.eps)
        shape = (-1,) + (1,) * (data.ndim - 2)
        normal *= gamma.reshape(shape)
        normal += beta.reshape(shape)
        return tuple(a.astype(data.dtype, copy=False) for a in (normal, mean, std))

    def gradient(self, F, out_grads, inputs, outputs):
        (data, gamma, _), (_, mean, std) = inputs, outputs
        g = F.zeros_like(data) if out_grads[0] is None else out_grads[0]
        normal = F.broadcast_div(F.broadcast_sub(data, mean), std)
        weighted = g * F._spread_like(gamma, data, axis=1, exclude=True)
        grads = (weighted, *out_grads[1:])
        return [moments_gradient(F, grads, data, mean, std, normal, axis=(0, 1), exclude=True),
                F.sum(g * normal, axis=1, exclude=True), F.sum(g, axis=1, exclude=True)]


@register("data", "gamma", "beta")
class GroupNorm(Moments):
    """Normalizes num_groups groups of channels of each item to mean 0 and variance 1, then scales by gamma and adds
    beta.

    data (N, C, *space) | gamma, beta (num_groups,) | out like data
    with output_mean_var also mean and √(var + eps), both (N, num_groups)

    num_groups: the number of groups; it must divide the number of channels.

    Source: Wu and He, arXiv:1803.08494.

    >>> data = nd.array([[[1], [5], [0], [2]]])
    >>> print(nd.GroupNorm(data, nd.array([1, 2]), nd.zeros(2), num_groups=2, eps=0).asnumpy().ravel())
    [-1.  1. -2.  2.]
    """

    num_groups: int = 1
    eps: float = 1e-5
    output_mean_var: bool = False

    def arranged(self, shape):
        return (shape[0], self.num_groups, math.prod(shape[1:]) // self.num_groups), 2, (-1, 1)

    def infer_shape(self, data, gamma, beta):
        count = (self.num_groups,)
        count = self.require("beta", beta, self.require("gamma", gamma, count))
        if data is None:
            return [None, count, count], [None] * 3
        self.require_least_rank("data", data, 3)
        if data[1] is not None and (self.num_groups < 1 or data[1] % self.num_groups):
            raise self.shape_clash(f"num_groups={self.num_groups} does not divide the {data[1]} channels of "
                                   f"data {data}", "data")
        small = (data[0], self.num_groups)
        return [data, count, count], [data, small, small]

    def forward(self, data, gamma, beta):
        groups = (data.shape[0], self.num_groups)
        normal, mean, std = moments(data.reshape(self.arranged(data.shape)[0]), 2, self.eps)
        normal *= gamma[:, None]
        normal += beta[:, None]
        return tuple(a.astype(data.dtype, copy=False)
                     for a in (normal.reshape(data.shape), mean.reshape(groups), std.reshape(groups)))

    def gradient(self, F, out_grads, inputs, outputs):
        def grouped(v):
            return F.reshape(v, shape=(0, self.num_groups, -1))

        def column(v):
            return None if v is None else F.expand_dims(v, axis=2)

        x = grouped(inputs[0])
        g = F.zeros_like(x) if out_grads[0] is None else grouped(out_grads[0])
        mean, std, of_mean, of_std = (column(v) for v in (*outputs[1:], *out_grads[1:]))
        normal = F.broadcast_div(F.broadcast_sub(x, mean), std)
        weighted = g * F._spread_like(inputs[1], x, axis=1, exclude=True)
        to_data = moments_gradient(F, (weighted, of_mean, of_std), x, mean, std, normal, axis=2)
        return [F.reshape_like(to_data, inputs[0]), F.sum(g * normal, axis=1, exclude=True),
                F.sum(g, axis=1, exclude=True)]


@register("data")
class L2Normalization(Op):
    """data / √(Σ data² + eps): vectors of length 1.

    data (N, C, *space) | out like data | hidden: the norms, with length 1 for the summed axes

    eps: added to the sum of squares before the square root.
    mode: sum over an entire item (instance), over the channels (channel) or over the spatial axes (spatial).

    >>> print(nd.L2Normalization(nd.array([[3, 4]])).asnumpy().round(3))
    [[0.6 0.8]]
    """

    eps: float = 1e-10
    mode: Literal["channel", "instance", "spatial"] = "instance"
    num_outputs = 2
    output_names = ("output",)
    keeps = ("outputs",)

    def infer_dtype(self, data):
        self.require_float("data", data)
        return super().infer_dtype(data)

    def axes(self, ndim):
        return {"instance": range(1, ndim), "channel": (1,), "spatial": range(2, ndim)}[self.mode]

    def infer_shape(self, data):
        if data is None:
            return [None], [None, None]
        least = 3 if self.mode == "spatial" else 2
        if len(data) < least:
            clash = self.shape_clash(f"data has shape {data}, expected at least {least} dimensions with "
                                     f"mode={self.mode!r}", "data")
            if self.mode != "instance" or not data:
                raise clash
            refuse(clash)               # each element of a vector is a separate item, so the result would be its sign
        axes = self.axes(len(data))
        return [data], [data, tuple(1 if i in axes else n for i, n in enumerate(data))]

    def forward(self, data):
        x = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
        norm = root_of_squares(x, tuple(self.axes(data.ndim)), self.eps)
        return (x / norm).astype(data.dtype, copy=False), norm.astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        (g, of_norm), (y, norm) = out_grads, outputs
        axes = {"instance": {"axis": 0, "exclude": True}, "channel": {"axis": 1},
                "spatial": {"axis": (0, 1), "exclude": True}}[self.mode]
        along = F.sum(g * y, keepdims=True, **axes)
        return F.broadcast_div(g - F.broadcast_mul(y, along), norm) + F.broadcast_mul(y, of_norm)


@register("data")
class LRN(Op):
    """data · (knorm + alpha / nsize · Σ data²)^-beta, with the sum over a channel and (nsize - 1) // 2 channels on
    either side.

    data (N, C, *space) | out like data

    alpha: the factor of the mean of squares.
    beta: the exponent.
    knorm: added to the sum.
    nsize: the number of neighboring channels in the sum; odd.

    Source: Krizhevsky, Sutskever and Hinton, NIPS 2012.

    >>> print(nd.LRN(nd.array([[[1], [3]]]), alpha=3, beta=1, knorm=0, nsize=3).asnumpy().ravel().round(3))
    [0.1 0.3]
    """

    alpha: float = 1e-4
    beta: float = 0.75
    knorm: float = 2.0
    nsize: int
    keeps = ("inputs",)

    def infer_shape(self, data):
        if self.nsize < 1:
            raise self.shape_clash(f"nsize={self.nsize} must be at least 1")
        self.require_least_rank("data", data, 2)
        return [data], [data]

    def forward(self, data):
        x = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
        size = self.knorm + self.alpha / self.nsize * neighbours(np.square(x), self.nsize)
        return (x * size.astype(x.dtype) ** -self.beta).astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        g, x = out_grads[0], inputs[0]
        factor = self.alpha / self.nsize
        size = F._sum_neighbours(F.square(x), nsize=self.nsize) * factor + self.knorm
        across = F._sum_neighbours(g * x * size ** (-self.beta - 1), nsize=self.nsize)
        return g * size ** -self.beta - 2 * self.beta * factor * x * across


def neighbours(data, nsize):
    """Returns the sum over each element and its neighbors along axis 1: nsize elements, or nsize - 1 if nsize is even.
    """
    reach = (nsize - 1) // 2
    total = data.copy()
    for step in range(1, min(reach + 1, data.shape[1])):
        total[:, step:] += data[:, :-step]
        total[:, :-step] += data[:, step:]
    return total


@register("data")
class _sum_neighbours(Op):
    """The sum over nsize neighboring channels. This operator is its own adjoint."""

    nsize: int
    keeps = ()

    def infer_shape(self, data):
        return LRN(nsize=self.nsize).infer_shape(data)

    def forward(self, data):
        return neighbours(data, self.nsize)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._sum_neighbours(out_grads[0], nsize=self.nsize)
