"""Pooling over windows of 1, 2 or 3 axes, and its gradient."""

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register
from ..remedies import to_fit
from .pooling_kernels import MaxPoolingKernels, SumPoolingKernels, lowest

__all__ = ["Pooling"]


@dataclass(frozen=True)
class WindowGeometry:
    """The positions of windows on data of a known shape. first: the index of the first spatial axis."""

    kernel: tuple
    stride: tuple
    pad: tuple          # the padding before each axis; the padding after it is as large as the windows need
    out: tuple
    space: tuple
    first: int

    @property
    def is_whole(self):
        """Returns whether a single window covers the entire space."""
        return self.kernel == self.space and all(n == 1 for n in self.out) and not any(self.pad)

    def tile(self, number, size):
        """Returns whether each element along an axis of that size belongs to exactly one window."""
        return self.kernel[number] == self.stride[number] and self.out[number] * self.stride[number] == size

    @property
    def widths(self):
        """Returns the padding before and after each spatial axis, as far as the windows reach."""
        return [(p, max(0, s * (n - 1) + k - p - size)) for k, s, p, n, size in zip(
            self.kernel, self.stride, self.pad, self.out, self.space, strict=True)]

    def padded(self, data, fill):
        """Returns data padded with `fill`, or data itself if the windows stay inside it."""
        widths = self.widths
        if not any(map(any, widths)):
            return data
        around = [(0, 0)] * self.first + widths + [(0, 0)] * (data.ndim - self.first - len(widths))
        return np.pad(data, around, constant_values=fill)

    def inside(self, padded):
        """Returns the part of a padded array that is not padding."""
        return padded[self._index(slice(p, p + n) for p, n in zip(self.pad, self.space, strict=True))]

    def taps(self, padded):
        """For each tap of the kernel, yields a view of its elements in all windows, shaped like the result."""
        for tap in itertools.product(*map(range, self.kernel)):
            yield padded[self._index(slice(t, t + s * (n - 1) + 1, s)
                                     for t, s, n in zip(tap, self.stride, self.out, strict=True))]

    def taps_along(self, number, padded):
        """Does the same for a kernel that extends along only one spatial axis; the other axes are unchanged."""
        s, n = self.stride[number], self.out[number]
        for tap in range(self.kernel[number]):
            yield padded[(*[slice(None)] * (self.first + number), slice(tap, tap + s * (n - 1) + 1, s))]

    def _index(self, slices):
        return (*[slice(None)] * self.first, *slices)

    def counts(self, include_pad, ndim):
        """Returns the number of elements that each window averages. Padding counts on both sides if `include_pad`."""
        total = np.ones((1,) * ndim)
        for axis, (k, s, p, n, size) in enumerate(
                zip(self.kernel, self.stride, self.pad, self.out, self.space, strict=True), self.first):
            start = np.arange(n) * s - p
            stop = np.minimum(start + k, size + p)
            if not include_pad:
                start, stop = np.maximum(start, 0), np.minimum(stop, size)
            total = total * np.maximum(stop - start, 1).reshape([-1 if a == axis else 1 for a in range(ndim)])
        return total


class Windows(Op):
    """The attributes of `Pooling` and its adjoints.

    kernel: the size of a window along each spatial axis; optional with global_pool.
    pool_type: computes the largest element (max), mean (avg), sum, or p-norm (lp) of a window.
    global_pool: if True, use one window that covers the entire space; stride and pad are then ignored.
    pooling_convention: the number of windows is rounded down (valid), rounded up (full), or ceil(space / stride)
    (same).
    stride: the step from one window to the next along each axis; 1 by default.
    pad: the padding on both sides of each spatial axis; 0 by default.
    p_value: the p of lp, (Σ xᵖ)^(1/p).
    count_include_pad: if False, divide an average by the number of elements that are not padding.
    layout: the order of the axes; if it ends in C, channels are last.
    """

    kernel: Shape = ()
    pool_type: Literal["max", "avg", "sum", "lp"] = "max"
    global_pool: bool = False
    cudnn_off: bool = False
    pooling_convention: Literal["valid", "full", "same"] = "valid"
    stride: Shape = ()
    pad: Shape = ()
    p_value: int | None = None
    count_include_pad: bool | None = None
    layout: Literal["NCW", "NCHW", "NCDHW", "NWC", "NHWC", "NDHWC"] | None = None

    @property
    def last(self):
        """Returns whether channels are the last axis."""
        return self.layout is not None and self.layout[-1] == "C"

    def places(self, shape):
        """Returns the windows for data whose shape may be partly unknown. Raises ShapeError."""
        first = 1 if self.last else 2
        space = shape[first:first + len(shape) - 2]
        if self.global_pool:
            return WindowGeometry(space, (1,) * len(space), (0,) * len(space), (1,) * len(space), space, first)
        kernel, d = self.kernel, len(space)
        # Values of stride and pad beyond the kernel's axes are ignored, as in MXNet.
        stride, pad = (self.stride or (1,) * d)[:d], (self.pad or (0,) * d)[:d]
        for name, value, least in ("kernel", kernel, 1), ("stride", stride, 1), ("pad", pad, 0):
            if len(value) != d:
                raise self.shape_clash(f"{name}={value} has {len(value)} numbers, but data {shape} has {d} axes of "
                                       "space; kernel may be left out with global_pool=True only")
            if min(value) < least:
                raise self.shape_clash(f"{name}={value} must be at least {least} along each axis")
        if self.pooling_convention == "same" and any(pad):
            raise self.shape_clash(f"pooling_convention='same' chooses the padding itself, but pad={pad}")
        if self.pool_type in ("max", "avg") and any(p >= k for p, k in zip(pad, kernel, strict=True)):
            raise self.shape_clash(f"pad={pad} must be smaller than kernel={kernel} along each axis with "
                                   f"pool_type={self.pool_type!r}: windows at the border would have padding alone")
        out = []
        for axis, (n, k, s, p) in enumerate(zip(space, kernel, stride, pad, strict=True), first):
            if n is not None and k > n + 2 * p and self.pooling_convention != "same":
                raise self.shape_clash(f"kernel={kernel} is larger than data {shape} with pad={pad}: {k} against "
                                       f"{n + 2 * p} along axis {axis}", "data", to_fit(kernel, space, pad))
            out.append(None if n is None else self._count(n, k, s, p))
        if self.pooling_convention == "same" and None not in space:
            pad = tuple(max(0, (o - 1) * s + k - n) // 2
                        for n, k, s, o in zip(space, kernel, stride, out, strict=True))
        return WindowGeometry(kernel, stride, pad, tuple(out), space, first)

    def pooled_shape(self, data):
        """Returns the shape of the result for data whose shape may be partly unknown."""
        if data is None:
            return None
        self.require_rank("data", data, *((len(self.layout),) if self.layout else (3, 4, 5)))
        out, n, c = self.places(data).out, data[0], data[-1 if self.last else 1]
        return (n, *out, c) if self.last else (n, c, *out)

    def _count(self, n, k, s, p):
        """Returns the number of windows along one axis."""
        if self.pooling_convention == "same":
            return -(-n // s)
        if self.pooling_convention == "full":
            return -(-(n + 2 * p - k) // s) + 1
        return (n + 2 * p - k) // s + 1

    def weights(self, places, dtype):
        """Returns the factor by which avg and sum multiply a window's sum, or None for 1."""
        if self.pool_type != "avg":
            return None
        counts = places.counts(self.count_include_pad in (True, None), len(places.out) + 2)
        return np.reciprocal(counts, dtype=np.promote_types(dtype, np.float32))

    def sums(self, shape, dtype):
        """Returns the kernels of sum and avg pooling for data of this shape and dtype."""
        places = self.places(shape)
        return SumPoolingKernels(places, shape, self.last, self.weights(places, dtype))

    def largest(self, shape):
        """Returns the kernels of max pooling for data of that shape."""
        return MaxPoolingKernels(self.places(shape), shape, self.last)


@register("data")
class Pooling(Windows):
    """The largest element (max), mean (avg), sum or p-norm (lp) of each window.

    data (N, C, *space) | out (N, C, *windows); channels last in a layout that ends in C
    windows = (space + 2 pad - kernel) / stride + 1, rounded down (valid) or up (full); ceil(space / stride) for same

    lp keeps the sign for an odd p. Padding never counts as the largest element.

    >>> data = nd.array([[[1, 5, 2, 4]]])
    >>> print(nd.Pooling(data, kernel=2, stride=2).asnumpy(), nd.Pooling(data, kernel=2, pool_type="avg").asnumpy())
    [[[5. 4.]]] [[[3.  3.5 3. ]]]
    """

    @property
    def keeps(self):
        return ("inputs", "outputs") if self.pool_type in ("max", "lp") else ("inputs",)

    def infer_shape(self, data):
        if self.pool_type == "lp" and (self.p_value is None or self.p_value < 1):
            raise self.shape_clash(f"pool_type='lp' needs p_value=1 or more, found {self.p_value}")
        return [data], [self.pooled_shape(data)]

    def forward(self, data):
        shape = self.infer_shape(data.shape)[1][0]
        if self.pool_type == "max":
            return _new_array(self.largest(data.shape), "forward", shape, data)
        # float16 has too few digits for sums, and an average of integers is rounded at the end
        wide = data.dtype if self.pool_type == "sum" and data.dtype.kind in "iu" else np.promote_types(
            data.dtype, np.float32)
        powers = data.astype(wide, copy=False)
        if self.pool_type == "lp":
            powers = powers ** self.p_value
        total = _new_array(self.sums(data.shape, wide), "forward", shape, powers)
        if self.pool_type == "lp":
            total = np.sign(total) * np.abs(total) ** (1 / self.p_value)
        return total.astype(data.dtype, copy=False)

    def kernels(self, data):
        """Returns the kernels that write the result for data of this shape and type; None if a different type or
        intermediate values are needed.
        """
        if self.pool_type == "max":
            return self.largest(data.shape)
        if self.pool_type == "lp" or np.promote_types(data.dtype, np.float32) != data.dtype:
            return None
        return self.sums(data.shape, data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        g, x, y = out_grads[0], inputs[0], outputs[0]
        if self.pool_type == "max":
            return F._max_pooling_grad(g, x, y, **self.attributes)
        if self.pool_type == "lp":
            # d(Σ xᵖ)^(1/p) / dx = (x / y)^(p - 1), and 0 in a window of zeros
            n, attributes = self.p_value - 1, {**self.attributes, "pool_type": "sum"}
            small = g * (y != 0) / (y + (y == 0)) ** n
            return F._sum_pooling_grad(small, x, **attributes) * x ** n
        return F._sum_pooling_grad(g, x, **self.attributes)


def _new_array(kernels, method, shape, *arrays):
    """Returns a new array filled by a method of the kernels."""
    result = np.empty(shape, arrays[0].dtype)
    scratch = np.empty(getattr(kernels, f"{method}_size"), arrays[0].dtype)
    getattr(kernels, method)(*arrays, result, scratch)
    return result


@register("grad", "data")
class _sum_pooling_grad(Windows):
    """The adjoint of sum and avg pooling: each window adds its gradient to all its elements. Only the shape of data is
    used.
    """

    keeps = ("inputs",)
    shape_only = ("data",)

    def infer_shape(self, grad, data):
        return [self.require("grad", grad, self.pooled_shape(data)), data], [data]

    def forward(self, grad, data):
        wide = np.promote_types(grad.dtype, np.float32)
        result = _new_array(self.sums(data.shape, wide), "gradient", data.shape, grad.astype(wide, copy=False))
        return result.astype(grad.dtype, copy=False)

    def kernels(self, inputs):
        """Returns the kernels that write the result; None for types that need a different intermediate type."""
        dtype = inputs[0].dtype
        return self.sums(inputs[1].shape, dtype) if np.promote_types(dtype, np.float32) == dtype else None

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.Pooling(out_grads[0], **self.attributes), None]


@register("grad", "data", "pooled")
class _max_pooling_grad(Windows):
    """The adjoint of max pooling: each window's gradient goes to the first of its largest elements."""

    keeps = ("inputs",)

    def infer_shape(self, grad, data, pooled):
        pooled = self.require("pooled", pooled, self.require("grad", grad, self.pooled_shape(data)))
        return [pooled, data, pooled], [data]

    def infer_dtype(self, *dtypes):
        self.require_numbers(*dtypes)
        return super().infer_dtype(*dtypes)

    @property
    def in_place(self):
        """Disjoint windows are processed in order, and each writes only to elements that it has read."""
        stride = self.stride or (1,) * len(self.kernel)
        apart = not self.global_pool and self.pooling_convention == "valid" and not any(self.pad) and all(
            s >= k for s, k in zip(stride, self.kernel, strict=False))
        return ("data",) if apart else ()

    def forward(self, grad, data, pooled):
        return _new_array(self.largest(data.shape), "gradient", data.shape, grad, data, pooled)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._pick_largest(out_grads[0], *inputs[1:], **self.attributes), None, None]


@register("values", "data", "pooled")
class _pick_largest(Windows):
    """Picks the element of `values` at the first maximum of `data` in each window: the adjoint of the adjoint."""

    keeps = ("inputs",)

    def infer_shape(self, values, data, pooled):
        data = self.require("values", values, data)
        return [data, data, self.require("pooled", pooled, self.pooled_shape(data))], [pooled]

    def forward(self, values, data, pooled):
        places = self.places(data.shape)
        result, open_ = np.zeros_like(pooled), np.ones(pooled.shape, bool)
        views = places.taps(places.padded(data, lowest(data.dtype)))
        for tap, value in zip(views, places.taps(places.padded(values, 0)), strict=True):
            hit = tap == pooled
            hit &= open_
            open_ ^= hit
            np.copyto(result, value, where=hit)
        return result

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._max_pooling_grad(out_grads[0], *inputs[1:], **self.attributes), None, None]
