"""Batch normalization, and its gradient."""

from typing import Any

import numpy as np

from ...base import MXNetError
from ..numeric import BLOCK, FEW, sum_along
from ..op import Op
from ..registry import REGISTRY, register
from ..shapes import around

__all__ = ["OVER_PROCESSES", "BatchNorm"]

# The key of a SyncBatchNorm whose statistics cover all processes -> a function that returns the sums of a float64
# vector over them. The layer enters itself.
OVER_PROCESSES: dict[str, Any] = {}


def channels(data, axis):
    """Returns data as (before, C, after), and the dtype of statistics: float32 for float16."""
    return data.reshape(around(data.shape, axis)), np.promote_types(data.dtype, np.float32)


class Normalization(Op):
    """Base class of the operators in this file, which differ in their attributes.

    eps: added to the variance before the square root.
    momentum: the fraction of the moving statistics that is kept in a training step.
    fix_gamma: if True, use 1 for gamma, without a gradient.
    use_global_stats: if True, use the moving statistics in training as well, and do not update them.
    output_mean_var: if True, also return the mean and 1 / √(var + eps) or the variance.
    axis: the axis of the channels.
    cudnn_off: if True, avoid cuDNN on a GPU; elsewhere it has no effect.
    min_calib_range: no effect; MXNet uses it for quantized networks.
    max_calib_range: no effect; MXNet uses it for quantized networks.
    """

    axis = 1
    mutates = ("moving_mean", "moving_var")
    in_place = ("data",)
    key = ""
    relu = False                # if True, return max(output, 0)
    gives_variance = False      # if True, the third output is the variance instead of 1 / √(var + eps)
    # The fourth output, always hidden, is 1 if the batch statistics were used, which depend on data.
    num_outputs = 4

    @property
    def recompute_as(self):
        """Reads the outputs mean and 1 / √(var + eps)."""
        op = REGISTRY["_batch_norm_recompute"](axis=self.axis, fix_gamma=self.fix_gamma, relu=self.relu)
        return None if self.gives_variance else (op, (0, 1, 2, -2, -3))

    @property
    def output_names(self):
        return ("output", "mean", "var") if self.output_mean_var else ("output",)

    def infer_shape(self, data, *vectors):
        count = (None,)
        if data is not None:
            axis = self.normalize_axis(self.axis, len(data))
            count = (data[axis],)
        for name, vector in zip(self.arguments[1:], vectors, strict=True):
            count = self.require(name, vector, count)
        if data is not None:
            data = data[:axis] + count + data[axis + 1:]
        return [data] + [count] * 4, [data, count, count, (1,)]

    def infer_dtype(self, data, *vectors):
        wide = next((d for d in vectors if d is not None), None)
        if data is not None:
            wide = np.promote_types(data, np.float32)
        for dtype in vectors:
            if dtype is not None and dtype != wide:
                raise self.dtype_clash((data, *vectors))
        return [data] + [wide] * 4, [data, wide, wide, wide]

    @property
    def add_over_processes(self):
        """The function in OVER_PROCESSES, or None."""
        return OVER_PROCESSES.get(self.key)

    def statistics(self, x, dtype):
        """Returns the mean and the variance of each channel of (before, C, after), and x - mean."""
        count = dtype.type(max(1, x.shape[0] * x.shape[2]))
        mean = sum_along(x, (0, 2), dtype) / count
        out = x - mean[:, None]
        return mean, sum_of_products(out, out) / count, out

    def forward(self, data, gamma, beta, moving_mean, moving_var, train):
        x, dtype = channels(data, self.axis)
        batch = train and not self.use_global_stats
        if batch:
            mean, var, out = self.statistics(x, dtype)
            momentum = dtype.type(self.momentum)
            moving = (momentum * moving_mean + (1 - momentum) * mean, momentum * moving_var + (1 - momentum) * var)
        else:
            mean, var, moving = moving_mean.copy(), moving_var, (None, None)
            out = x - mean[:, None]
        inverse = np.reciprocal(np.sqrt(var + dtype.type(self.eps)))
        out *= (inverse if self.fix_gamma else inverse * gamma)[:, None]
        out += beta[:, None]
        out = out.reshape(data.shape).astype(data.dtype, copy=False)
        return out, mean, var.copy() if self.gives_variance else inverse, np.full((1,), batch, dtype), *moving

    def gradient(self, F, out_grads, inputs, outputs):
        data, gamma = inputs[:2]
        mean, inverse, batch = outputs[1:]
        if self.gives_variance:
            inverse = F.rsqrt(inverse + self.eps)
        how = {"cudnn_off": True} if getattr(self, "cudnn_off", False) else {}
        if self.add_over_processes is not None:
            how["key"] = self.key
        grads = F._batch_norm_grad(out_grads[0], data, gamma, mean, inverse, batch, axis=self.axis,
                                   fix_gamma=self.fix_gamma, **how)
        return [*grads, None, None]


@register("data", "gamma", "beta", "moving_mean", "moving_var")
class BatchNorm(Normalization):
    """Normalizes each channel to mean 0 and variance 1: out = (data - mean) / √(var + eps) · gamma + beta.

    data (..., C, ...) with C at `axis` | gamma, beta, moving_mean, moving_var (C,) | out like data;
    with output_mean_var, also the mean (C,) and 1 / √(var + eps) (C,) that were used

    In training, the statistics of the batch are used, and the moving statistics become momentum · moving + (1 -
    momentum) · batch (the variance divides by the count n, not n - 1). Otherwise, and always with use_global_stats, the
    moving statistics are used. For float16 data, everything else is float32.

    Source: Ioffe and Szegedy, arXiv:1502.03167.

    >>> data, gamma, beta, mean, var = nd.array([[1], [5]]), nd.ones(1), nd.zeros(1), nd.zeros(1), nd.ones(1)
    >>> with autograd.record():
    ...     print(nd.BatchNorm(data, gamma, beta, mean, var, eps=0, momentum=0.5).asnumpy().T)
    [[-1.  1.]]
    >>> print(mean.asnumpy(), var.asnumpy())
    [1.5] [2.5]
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    axis: int = 1
    cudnn_off: bool = False
    min_calib_range: float | None = None
    max_calib_range: float | None = None


@register("data", "gamma", "beta", "moving_mean", "moving_var", name="_contrib_BatchNormWithReLU")
class BatchNormWithReLU(BatchNorm):
    """max(`BatchNorm`, 0).

    data (..., C, ...) with C at `axis` | gamma, beta, moving_mean, moving_var (C,) | out like data

    >>> zero, one = nd.zeros(2), nd.ones(2)
    >>> print(nd.contrib.BatchNormWithReLU(nd.array([[-3, 3]]), one, zero, zero, one, eps=0).asnumpy())
    [[0. 3.]]
    """

    relu = True

    def forward(self, data, gamma, beta, moving_mean, moving_var, train):
        out, *rest = super().forward(data, gamma, beta, moving_mean, moving_var, train)
        return np.maximum(out, out.dtype.type(0), out=out), *rest

    def gradient(self, F, out_grads, inputs, outputs):
        return super().gradient(F, [out_grads[0] * (outputs[0] > 0), *out_grads[1:]], inputs, outputs)


@register("grad", "data", "gamma", "mean", "inverse", "batch")
class _batch_norm_grad(Op):
    """The gradients of data, gamma and beta.

    With x̂ = (data - mean) · inverse and m(·) the mean over a channel, if `batch` is 1: γ · inverse · (grad - m(grad) -
    x̂ · m(grad · x̂)), Σ grad · x̂, Σ grad. If it is 0, the two means are omitted. With a `key` in OVER_PROCESSES, the
    means cover all processes, and the sums this one.
    """

    axis: int = 1
    fix_gamma: bool = True
    cudnn_off: bool = False
    key: str = ""
    num_outputs = 3
    keeps = ("inputs",)
    in_place = ("data",)

    def infer_shape(self, grad, data, *vectors):
        data = self.require("grad", grad, data)
        count = (None,)
        if data is not None:
            axis = self.normalize_axis(self.axis, len(data))
            count = (data[axis],)
        for name, vector in zip(self.arguments[2:], vectors[:3], strict=False):
            count = self.require(name, vector, count)
        return [data, data, count, count, count, self.require("batch", vectors[3], (1,))], [data, count, count]

    def infer_dtype(self, grad, data, *vectors):
        data = self.require_dtype("grad", grad, data)
        wide = None if data is None else np.promote_types(data, np.float32)
        for name, vector in zip(self.arguments[2:], vectors, strict=True):
            wide = self.require_dtype(name, vector, wide)
        return [data, data, *[wide] * 4], [data, wide, wide]

    def forward(self, grad, data, gamma, mean, inverse, batch):
        (g, dtype), (x, _) = channels(grad, self.axis), channels(data, self.axis)
        g = g.astype(dtype, copy=False)
        normal = (x - mean[:, None]) * inverse[:, None]
        beta_grad = sum_along(g, (0, 2), dtype)
        gamma_grad = sum_of_products(g, normal)
        scale = inverse if self.fix_gamma else inverse * gamma
        if batch[0]:
            gamma_mean, beta_mean = self.means(gamma_grad, beta_grad, x.shape[0] * x.shape[2])
            normal *= gamma_mean[:, None]
            normal += beta_mean[:, None]
            out = np.subtract(g, normal, out=normal)
            out *= scale[:, None]
        else:
            out = g * scale[:, None]
        out = out.reshape(data.shape).astype(data.dtype, copy=False)
        return out, np.zeros_like(gamma) if self.fix_gamma else gamma_grad, beta_grad

    def means(self, gamma_grad, beta_grad, count):
        """Returns the sums divided by the number of elements of a channel."""
        add = OVER_PROCESSES.get(self.key)
        if add is None:
            return gamma_grad / max(1, count), beta_grad / max(1, count)
        total = add(np.concatenate([[count], gamma_grad, beta_grad]).astype(np.float64))
        return np.split((total[1:] / total[0]).astype(gamma_grad.dtype), 2)

    def gradient(self, F, out_grads, inputs, outputs):
        """Treats the statistics as functions of data, so their gradients are added to that of data."""
        if OVER_PROCESSES.get(self.key) is not None:
            raise MXNetError("SyncBatchNorm over several processes has no second gradient. Use nn.BatchNorm, or omit "
                             "create_graph=True.")
        (a, b, c), (g, x, gamma, mean, inverse, batch) = out_grads, inputs

        def average(v):
            return F.mean(v, axis=self.axis, exclude=True)

        def spread(v):
            return F._spread_like(v, x, axis=self.axis, exclude=True)

        if self.fix_gamma:
            gamma, b = F.ones_like(gamma), F.zeros_like(b)
        normal = (x - spread(mean)) * spread(inverse)

        def project(v):
            flow = spread(average(v)) + normal * spread(average(v * normal))
            return v - F.broadcast_mul(flow, batch)

        scale = gamma * inverse
        projected = project(g)
        to_grad = spread(scale) * project(a) + spread(b) * normal + spread(c)
        to_gamma = F.sum(a * projected, axis=self.axis, exclude=True) * inverse
        to_normal = a * spread(average(g * normal)) + g * spread(average(a * normal))
        to_normal = spread(b) * g - F.broadcast_mul(spread(scale) * to_normal, batch)
        through_inverse = normal * spread(scale * inverse * average(a * projected))
        to_data = spread(inverse) * project(to_normal) - F.broadcast_mul(through_inverse, batch)
        return [to_grad, to_data, F.zeros_like(gamma) if self.fix_gamma else to_gamma, None, None, None]


@register("data", "gamma", "beta", "mean", "inverse")
class _batch_norm_recompute(Op):
    """The recomputed output of `BatchNorm`: (data - mean) · inverse · gamma + beta; with relu=True, its positive
    part."""

    axis: int = 1
    fix_gamma: bool = True
    relu: bool = False
    gradient = None
    in_place = ("data",)

    def infer_shape(self, data, *vectors):
        count = (None,) if data is None else (data[self.normalize_axis(self.axis, len(data))],)
        for name, vector in zip(self.arguments[1:], vectors, strict=True):
            count = self.require(name, vector, count)
        return [data] + [count] * 4, [data]

    def infer_dtype(self, data, *vectors):
        wide = None if data is None else np.promote_types(data, np.float32)
        for name, vector in zip(self.arguments[1:], vectors, strict=True):
            wide = self.require_dtype(name, vector, wide)
        return [data] + [wide] * 4, [data]

    def forward(self, data, gamma, beta, mean, inverse):
        out = channels(data, self.axis)[0] - mean[:, None]
        out *= (inverse if self.fix_gamma else inverse * gamma)[:, None]
        out += beta[:, None]
        out = out.reshape(data.shape).astype(data.dtype, copy=False)
        return np.maximum(out, out.dtype.type(0), out=out) if self.relu else out


@register("data", "gamma", "beta", "moving_mean", "moving_var", name="_contrib_SyncBatchNorm")
class SyncBatchNorm(Normalization):
    """`BatchNorm` along axis 1. In MXNet its statistics cover the parts of a batch on all devices; here only one device
    per process is supported. `gluon.contrib.nn.SyncBatchNorm(kvstore=...)` makes them cover all processes.

    data (N, C, ...) | gamma, beta, moving_mean, moving_var (C,) | out like data
    with output_mean_var also mean (C,) and variance (C,)

    ndev: 1, the only supported number of devices.
    key: the name of the layer, which identifies it across devices.

    Raises ShapeError for any other number of devices.
    Source: Zhang et al. 2018, Context encoding for semantic segmentation, arXiv:1803.08904.

    >>> zero, one = nd.zeros(2), nd.ones(2)
    >>> print(nd.contrib.SyncBatchNorm(nd.array([[-3, 3]]), one, zero, zero, one, eps=0, key="a").asnumpy())
    [[-3.  3.]]
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    ndev: int = 1
    key: str

    @property
    def gives_variance(self):
        return self.output_mean_var

    def statistics(self, x, dtype):
        """Returns the mean and the variance of each channel of (before, C, after), and x - mean.

        Over processes, sums are combined in float64, of values from which this process's mean was subtracted.
        """
        mean, var, out = super().statistics(x, dtype)
        if self.add_over_processes is None:
            return mean, var, out
        count, own = x.shape[0] * x.shape[2], mean.astype(np.float64)
        first, second = sum_along(out, (0, 2), dtype).astype(np.float64), count * var.astype(np.float64)
        total = self.add_over_processes(np.concatenate(
            [[count], first + count * own, second + 2 * own * first + count * own * own]))
        exact, squares = np.split(total[1:] / max(1, total[0]), 2)
        mean, var = exact.astype(dtype), np.maximum(squares - exact * exact, 0).astype(dtype)
        return mean, var, x - mean[:, None]

    def infer_shape(self, data, *vectors):
        if self.ndev != 1:
            raise self.shape_clash(f"ndev={self.ndev}: statistics over several devices are not available. Use "
                                   "BatchNorm, which takes those of each device's part of the batch.")
        return super().infer_shape(data, *vectors)


LINE = 4096             # `einsum` adds this many adjacent products into a few running totals


def sum_of_products(x: Any, y: Any, out: Any = None) -> Any:
    """Returns Σ x · y over all axes except the second: (N, C, S) to (C,). The products are not stored."""
    n, channels, places = x.shape
    if n * places <= FEW:
        return np.einsum("ncs,ncs->c", x, y, out=out)
    if places == 1:
        cut = n - n % BLOCK
        sums = [np.einsum("kbc,kbc->kc", *[a[:cut].reshape(-1, BLOCK, channels) for a in (x, y)])]
    else:
        cut, size = places - places % LINE, min(LINE, places)
        sums = [np.einsum("nckb,nckb->nkc", *[a[:, :, :cut].reshape(n, channels, -1, size) for a in (x, y)])] if cut \
            else []
    tail = (slice(cut, None),) if places == 1 else (slice(None), slice(None), slice(cut, None))
    sums.append(np.einsum("ncs,ncs->nc" if places > 1 else "ncs,ncs->c", x[tail], y[tail]))
    return sum_along(np.concatenate([a.reshape(-1, channels) for a in sums]), 0, None, out)
