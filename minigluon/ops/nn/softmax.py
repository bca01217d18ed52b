"""Softmax and related operators."""

import math
from typing import Literal

import numpy as np

from ..numeric import sum_along
from ..op import Op
from ..registry import register

__all__ = ["SoftmaxActivation", "log_softmax", "softmax", "softmin"]


def log_normalized(x, axis):
    """Returns x - log Σ eˣ along an axis. The largest element is subtracted first, so that no exp overflows."""
    if not x.size:
        return x.copy()
    x = x - np.maximum.reduce(x, axis, keepdims=True)
    x -= np.log(sum_along(np.exp(x), axis, keepdims=True))
    return x


def normalized(x, axis):
    """Returns eˣ / Σ eˣ along an axis, in a new array."""
    if not x.size:
        return x.copy()
    return write_normalized(x, axis, np.empty_like(x), None)


def write_normalized(x, axis, out, row):
    """Writes `normalized` to `out`, which may share x's memory. row: a buffer of x's shape but length 1 at axis, or
    None. """
    row = np.maximum.reduce(x, axis, None, row, True)
    np.subtract(x, row, out)
    np.exp(out, out)
    sum_along(out, axis, None, row, True)
    return np.divide(out, row, out)


class _Softmax(Op):
    """Base class of the three operators: the axis, a temperature that divides the data, and the result's dtype.

    axis: the axis along which the probabilities sum to 1.
    temperature: the divisor of data; values above 1 make the result more uniform. None means 1.
    dtype: the dtype of out; None for the dtype of data. The computation uses at least float32.
    use_length: if True, use only the first `length` elements along axis; the others are 0 in out.
    """

    axis: int = -1
    temperature: float | None = None
    dtype: Literal["float16", "float32", "float64"] | None = None
    use_length: bool | None = False
    in_place = ("data",)
    sign = 1

    @property
    def keeps(self):
        return ("outputs",) if self.dtype is None else ("inputs", "outputs")

    def infer_shape(self, data):
        if self.use_length:
            raise self.shape_clash("use_length=True needs the input length, which only softmax has")
        if data is not None:
            self.normalize_axis(self.axis, len(data))
        return [data], [data]

    def infer_dtype(self, data):
        self.require_float("data", self.dtype or data)
        return [data], [np.dtype(self.dtype) if self.dtype else data]

    @property
    def factor(self):
        """The factor of data. NaN for a temperature of 0, as in MXNet."""
        if self.temperature is None:
            return self.sign
        return self.sign / self.temperature if self.temperature else math.nan

    def scaled(self, data):
        """Returns data / temperature in at least float32, as a new array or data itself."""
        data = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
        with np.errstate(invalid="ignore"):
            return data if self.factor == 1 else data * data.dtype.type(self.factor)

    def finish(self, F, grad, data):
        """Applies the temperature to a gradient and casts it to the dtype of data."""
        grad = grad if self.factor == 1 else grad * self.factor
        return grad if self.dtype is None else F._astype_like(grad, data)


@register("data", "length")
class softmax(_Softmax):
    """exp(data / temperature) divided by its sum along axis.

    data (any shape) | length (data's shape without axis), only with use_length | out like data

    >>> print(nd.softmax(nd.log(nd.array([1, 1, 2]))).asnumpy().round(3))
    [0.25 0.25 0.5 ]
    >>> print(nd.softmax(nd.array([[7, 7, 7]]), nd.array([2]), use_length=True).asnumpy())
    [[0.5 0.5 0. ]]
    """

    def list_arguments(self):
        return self.arguments if self.use_length else self.arguments[:1]

    def infer_shape(self, data, length=None):
        if data is not None:
            axis = self.normalize_axis(self.axis, len(data))
            if self.use_length:
                length = self.require("length", length, data[:axis] + data[axis + 1:] or (1,))
        return [data, length] if self.use_length else [data], [data]

    def infer_dtype(self, data, length=None):
        self.require_float("data", self.dtype or data)
        result = np.dtype(self.dtype) if self.dtype else data
        return [data, length] if self.use_length else [data], [result]

    def forward(self, data, length=None):
        x = self.scaled(data)
        if length is None:
            return normalized(x, self.axis).astype(self.dtype or data.dtype, copy=False)
        axis = self.axis % data.ndim
        place = np.arange(data.shape[axis]).reshape([-1 if i == axis else 1 for i in range(data.ndim)])
        counts = place < length.reshape(data.shape[:axis] + (1,) + data.shape[axis + 1:])
        x = np.where(counts, x, np.finfo(x.dtype).min)
        return np.where(counts, normalized(x, axis), 0).astype(self.dtype or data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        grad = self.finish(F, F._softmax_grad(out_grads[0], outputs[0], axis=self.axis), inputs[0])
        return [grad, None] if self.use_length else [grad]


@register("data")
class softmin(_Softmax):
    """softmax(-data): the smallest element has the largest value.

    data (any shape) | out like data. Only `softmax` takes a length.

    >>> print(nd.softmin(nd.log(nd.array([1, 2, 2]))).asnumpy().round(3))
    [0.5  0.25 0.25]
    """

    sign = -1

    def forward(self, data):
        return normalized(self.scaled(data), self.axis).astype(self.dtype or data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        return self.finish(F, F._softmax_grad(out_grads[0], outputs[0], axis=self.axis), inputs[0])


@register("data")
class log_softmax(_Softmax):
    """The logarithm of `softmax`, accurate where softmax is close to 0.

    data (any shape) | out like data. Only `softmax` takes a length.

    >>> print(nd.log_softmax(nd.array([[0, 1000]])).asnumpy())
    [[-1000.     0.]]
    """

    def forward(self, data):
        return log_normalized(self.scaled(data), self.axis).astype(self.dtype or data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        return self.finish(F, F._log_softmax_grad(out_grads[0], outputs[0], axis=self.axis), inputs[0])


class _SoftmaxGrad(Op):
    """Base class of both gradients. grad, result (of forward; any shape) | out like grad"""

    axis: int = -1
    keeps = ("inputs",)

    def infer_shape(self, grad, result):
        shapes, (shape,) = super().infer_shape(grad, result)
        if shape is not None:
            self.normalize_axis(self.axis, len(shape))
        return shapes, [shape]

    def forward(self, grad, result):
        g, y = (a.astype(np.promote_types(a.dtype, np.float32), copy=False) for a in (grad, result))
        return self.write(g, y, self.axis, np.empty_like(g), None).astype(grad.dtype, copy=False)


@register("grad", "result")
class _softmax_grad(_SoftmaxGrad):
    """The gradient of a softmax's data from that of its result: result (grad - Σ grad result), with the sum along axis.
    """

    @staticmethod
    def write(g, y, axis, target, row):
        row = sum_along(np.multiply(g, y, target), axis, None, row, True)
        return np.multiply(np.subtract(g, row, target), y, target)

    def gradient(self, F, out_grads, inputs, outputs):
        a, (g, y) = out_grads[0], inputs

        def total(v):
            return F.sum(v, axis=self.axis, keepdims=True)

        to_out = a * F.broadcast_sub(g, total(g * y)) - F.broadcast_mul(g, total(a * y))
        return [F._softmax_grad(a, y, axis=self.axis), to_out]


@register("grad", "result")
class _log_softmax_grad(_SoftmaxGrad):
    """The gradient of a log_softmax's data from that of its result: grad - exp(result) Σ grad, with the sum along axis.
    """

    @staticmethod
    def write(g, y, axis, target, row):
        row = sum_along(g, axis, None, row, True)
        return np.subtract(g, np.multiply(np.exp(y, target), row, target), target)

    def gradient(self, F, out_grads, inputs, outputs):
        a, (g, y) = out_grads[0], inputs

        def total(v):
            return F.sum(v, axis=self.axis, keepdims=True)

        shares = a * F.exp(y)
        return [F.broadcast_sub(a, total(shares)), -F.broadcast_mul(shares, total(g))]


@register("data", "like")
class _astype_like(Op):
    """data converted to the dtype of like."""

    keeps = ("inputs",)
    shape_only = ("like",)

    def infer_dtype(self, data, like):
        return [data, like], [like]

    def forward(self, data, like):
        return data.astype(like.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._astype_like(out_grads[0], inputs[0]), None]


@register("data")
class SoftmaxActivation(Op):
    """An older softmax operator, over the last axis or over the channels. See `softmax`.

    data (any shape), with mode channel (N, C, ...) | out like data

    mode: 'instance' for the last axis, 'channel' for axis 1.

    >>> print(nd.SoftmaxActivation(nd.array([[3, 3]])).asnumpy())
    [[0.5 0.5]]
    """

    mode: Literal["instance", "channel"] = "instance"
    keeps = ("outputs",)
    in_place = ("data",)

    def infer_dtype(self, data):
        self.require_float("data", data)
        return super().infer_dtype(data)

    def infer_shape(self, data):
        self.require_least_rank("data", data, 2 if self.mode == "channel" else 1)
        return [data], [data]

    def flat_shape(self, shape):
        """Returns data's shape, rearranged so that softmax is over axis 1."""
        return shape if self.mode == "channel" else (math.prod(shape[:-1]), shape[-1])

    def forward(self, data):
        flat = data.reshape(self.flat_shape(data.shape))
        wide = flat.astype(np.promote_types(data.dtype, np.float32), copy=False)
        return normalized(wide, 1).reshape(data.shape).astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        weighted = out_grads[0] * outputs[0]
        total = F.sum(weighted, axis=1 if self.mode == "channel" else -1, keepdims=True)
        return weighted - F.broadcast_mul(outputs[0], total)
