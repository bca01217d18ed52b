"""The first versions of two MXNet operators: BatchNorm_v1 and Pooling_v1."""

import math
from typing import Literal

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register
from .batch_norm import Normalization, channels, sum_of_products
from .pooling import Pooling

__all__ = ["BatchNorm_v1", "Pooling_v1"]


@register("data", "gamma", "beta", "moving_mean", "moving_var")
class BatchNorm_v1(Normalization):
    """`BatchNorm` along axis 1 that also returns the mean and variance it used.

    data (N, C, ...) | gamma, beta, moving_mean, moving_var (C,) | out like data
    with output_mean_var also mean (C,) and variance (C,) | hidden: 1 / √(variance + eps), and 1 if batch statistics
    were used

    >>> zero, one = nd.zeros(2), nd.ones(2)
    >>> print(nd.BatchNorm_v1(nd.array([[-3, 3]]), one, zero, zero, one, eps=0).asnumpy())
    [[-3.  3.]]
    """

    eps: float = 1e-3
    momentum: float = 0.9
    fix_gamma: bool = True
    use_global_stats: bool = False
    output_mean_var: bool = False
    num_outputs = 5

    def infer_shape(self, data, *vectors):
        inputs, (out, mean, inverse, batch) = super().infer_shape(data, *vectors)
        return inputs, [out, mean, inverse, inverse, batch]

    def infer_dtype(self, data, *vectors):
        inputs, (out, *others) = super().infer_dtype(data, *vectors)
        return inputs, [out, *others, others[0]]

    def forward(self, data, gamma, beta, moving_mean, moving_var, train):
        out, mean, inverse, batch, *moving = super().forward(data, gamma, beta, moving_mean, moving_var, train)
        if batch[0]:
            x, dtype = channels(data, self.axis)
            apart = x - mean[:, None]
            var = sum_of_products(apart, apart) / dtype.type(max(1, x.shape[0] * x.shape[2]))
        else:
            var = moving_var.copy()
        return out, mean, var, inverse, batch, *moving

    def gradient(self, F, out_grads, inputs, outputs):
        return super().gradient(F, out_grads, inputs, [outputs[0], outputs[1], *outputs[3:]])


@register("data")
class Pooling_v1(Op):
    """The largest element (max), mean (avg) or sum of each window, with the padding counted as zeros.

    data (N, C, H, W) | out (N, C, *windows), windows = (space + 2 pad - kernel) / stride + 1, rounded down or up

    Padding may therefore be the largest element, and an average divides by the full kernel size, even if the window
    extends beyond the border.

    kernel: the size of a window, (height, width).
    pool_type: the function applied to a window.
    global_pool: if True, use one window that covers the entire image.
    pooling_convention: valid rounds the number of windows down, full rounds it up.
    stride: the step from one window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.

    >>> print(nd.Pooling_v1(nd.array([[[[-1, -2]]]]), kernel=(1, 2), pad=(0, 1), pool_type="max").asnumpy())
    [[[[ 0. -1.  0.]]]]
    """

    kernel: Shape = ()
    pool_type: Literal["max", "avg", "sum"] = "max"
    global_pool: bool = False
    pooling_convention: Literal["valid", "full"] = "valid"
    stride: Shape = ()
    pad: Shape = ()

    def infer_shape(self, data):
        if data is not None:
            self.require_rank("data", data, 4)
        return [data], Pooling(pad=() if self.global_pool else self.pad, **self._inner).infer_shape(data)[1]

    def infer_dtype(self, data):
        self.require_float("data", data)
        return [data], [data]

    def forward(self, data):
        (p, q), wide = self._border, np.promote_types(data.dtype, np.float32)
        self.infer_shape(data.shape)
        padded = np.pad(data.astype(wide, copy=False), ((0, 0), (0, 0), (p, p), (q, q)))
        return (Pooling(**self._inner).forward(padded) / wide.type(self._divisor)).astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        (g,), (x,), (y,), (p, q) = out_grads, inputs, outputs, self._border
        padded = F.pad(x, mode="constant", pad_width=(0, 0, 0, 0, p, p, q, q))
        if self.pool_type == "max":
            padded_grad = F._max_pooling_grad(g, padded, y, **self._inner)
        else:
            padded_grad = F._sum_pooling_grad(g / self._divisor, padded, **self._inner)
        return F.slice(padded_grad, begin=(None, None, p, q), end=(None, None, -p or None, -q or None))

    @property
    def _inner(self):
        """Returns the attributes for the `Pooling` of padded data."""
        pool_type = "sum" if self.pool_type == "avg" and not self.global_pool else self.pool_type
        return {"kernel": self.kernel, "pool_type": pool_type, "global_pool": self.global_pool,
                "pooling_convention": self.pooling_convention, "stride": self.stride}

    @property
    def _border(self):
        return (0, 0) if self.global_pool or not self.pad else self.pad[:2]

    @property
    def _divisor(self):
        """Returns the divisor of a window's sum. If there is only one window, Pooling itself divides."""
        return math.prod(self.kernel) if self.pool_type == "avg" and not self.global_pool else 1
