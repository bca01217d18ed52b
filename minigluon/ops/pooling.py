"""Pooling over windows of 1, 2 or 3 axes, and its gradient."""

import itertools
import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from .fields import Shape
from .op import Op
from .registry import register

__all__ = ["Pooling"]


@dataclass(frozen=True)
class Places:
    """Where the windows lie on known data. `first` is the index of the first space axis."""

    kernel: tuple
    stride: tuple
    pad: tuple          # before the first element of each axis; behind the last there is as much as windows reach
    out: tuple
    space: tuple
    first: int

    @property
    def is_whole(self):
        """Is there one window, which is all of space?"""
        return self.kernel == self.space and set(self.out) == {1} and not any(self.pad)

    @property
    def are_disjoint(self):
        """Does no window share an element with another?"""
        return all(s >= k for s, k in zip(self.stride, self.kernel, strict=True))

    def padded(self, data, fill):
        """data with `fill` around it, as far as the windows reach; data itself when they stay inside."""
        widths = [(p, max(0, s * (n - 1) + k - p - size)) for k, s, p, n, size in zip(
            self.kernel, self.stride, self.pad, self.out, self.space, strict=True)]
        if not any(map(any, widths)):
            return data
        around = [(0, 0)] * self.first + widths + [(0, 0)] * (data.ndim - self.first - len(widths))
        return np.pad(data, around, constant_values=fill)

    def inside(self, padded):
        """The part of a padded array that is not padding."""
        return padded[self._index(slice(p, p + n) for p, n in zip(self.pad, self.space, strict=True))]

    def taps(self, padded):
        """For each tap of the kernel a view of what all windows see there, shaped like the result."""
        for tap in itertools.product(*map(range, self.kernel)):
            yield padded[self._index(slice(t, t + s * (n - 1) + 1, s)
                                     for t, s, n in zip(tap, self.stride, self.out, strict=True))]

    def taps_along(self, number, padded):
        """The same for a kernel that extends along one axis of space only; other axes stay as they are."""
        s, n = self.stride[number], self.out[number]
        for tap in range(self.kernel[number]):
            yield padded[(*[slice(None)] * (self.first + number), slice(tap, tap + s * (n - 1) + 1, s))]

    def _index(self, slices):
        return (*[slice(None)] * self.first, *slices)

    def counts(self, include_pad, ndim):
        """How many elements each window averages; padding counts on both sides when `include_pad`."""
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
    """The attributes of `Pooling`, which its adjoints share."""

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
        """Are channels the last axis?"""
        return self.layout is not None and self.layout[-1] == "C"

    def places(self, shape):
        """The windows on data of a shape whose space may be partly unknown. Raises ShapeError."""
        first = 1 if self.last else 2
        space = shape[first:first + len(shape) - 2]
        if self.global_pool:
            return Places(space, (1,) * len(space), (0,) * len(space), (1,) * len(space), space, first)
        kernel, d = self.kernel, len(space)
        stride, pad = self.stride or (1,) * d, self.pad or (0,) * d
        for name, value, least in ("kernel", kernel, 1), ("stride", stride, 1), ("pad", pad, 0):
            if len(value) != d:
                raise self.shape_clash(f"{name}={value} has {len(value)} numbers, but data {shape} has {d} axes of "
                                       "space; kernel may be left out with global_pool=True only")
            if min(value) < least:
                raise self.shape_clash(f"{name}={value} must be at least {least} along each axis")
        if self.pooling_convention == "same" and any(pad):
            raise self.shape_clash(f"pooling_convention='same' chooses the padding itself, but pad={pad}")
        out = []
        for axis, (n, k, s, p) in enumerate(zip(space, kernel, stride, pad, strict=True), first):
            if n is not None and k > n + 2 * p and self.pooling_convention != "same":
                raise self.shape_clash(f"kernel={kernel} is larger than data {shape} with pad={pad}: {k} against "
                                       f"{n + 2 * p} along axis {axis}", "data")
            out.append(None if n is None else self._count(n, k, s, p))
        if self.pooling_convention == "same" and None not in space:
            pad = tuple(max(0, (o - 1) * s + k - n) // 2
                        for n, k, s, o in zip(space, kernel, stride, out, strict=True))
        return Places(kernel, stride, pad, tuple(out), space, first)

    def _count(self, n, k, s, p):
        """Number of windows along one axis."""
        if self.pooling_convention == "same":
            return math.ceil(n / s)
        rounded = math.ceil if self.pooling_convention == "full" else math.floor
        return rounded((n + 2 * p - k) / s) + 1

    def weights(self, places, dtype):
        """For avg and sum: by what a window's sum is multiplied, None for 1."""
        if self.pool_type != "avg":
            return None
        counts = places.counts(self.count_include_pad in (True, None), len(places.out) + 2)
        return np.reciprocal(counts, dtype=np.promote_types(dtype, np.float32))


@register("data")
class Pooling(Windows):
    """The largest element (max), mean (avg), sum or p-norm (lp) of each window.

    data (N, C, *space) | out (N, C, *windows); channels last in a layout that ends in C
    windows = (space + 2 pad - kernel) / stride + 1, rounded down (valid) or up (full); ceil(space / stride) with same

    global_pool takes one window over all of space. lp is (Σ xᵖ)^(1/p) with p_value p, and keeps the sign for an odd p.
    An average counts the padding unless count_include_pad=False. Padding is never the largest element.
    """

    @property
    def keeps(self):
        return ("inputs", "outputs") if self.pool_type in ("max", "lp") else ("inputs",)

    def infer_shape(self, data):
        if self.pool_type == "lp" and (self.p_value is None or self.p_value < 1):
            raise self.shape_clash(f"pool_type='lp' needs p_value=1 or more, found {self.p_value}")
        if data is None:
            return [None], [None]
        self.require_rank("data", data, *((len(self.layout),) if self.layout else (3, 4, 5)))
        places = self.places(data)
        n, c = data[0], data[-1 if self.last else 1]
        return [data], [(n, *places.out, c) if self.last else (n, c, *places.out)]

    def forward(self, data):
        places = self.places(data.shape)
        if self.pool_type == "max":
            out = np.empty(self.infer_shape(data.shape)[1][0], data.dtype)
            return in_parts(lambda part: _largest(part, places), out, data, merge=not self.last)
        wide = data.astype(np.float32) if data.dtype == np.float16 else data
        powers = wide ** self.p_value if self.pool_type == "lp" else wide
        total = _window_sum(powers, places)
        scale = self.weights(places, total.dtype)
        if scale is not None:
            total = total * scale
        elif self.pool_type == "lp":
            total = np.sign(total) * np.abs(total) ** (1 / self.p_value)
        return total.astype(data.dtype, copy=False)

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


PART = 2 ** 18          # elements that a processor's cache holds


def in_parts(compute, out, *arrays, merge):
    """out, filled with compute(*arrays) for a few images at a time: each tap reads them again, then from the cache.

    merge: axes 0 and 1 count images together, as channels do not mix.
    """
    if merge:
        target, *arrays = [a.reshape(a.shape[0] * a.shape[1], 1, *a.shape[2:]) for a in (out, *arrays)]
    else:
        target = out
    step = max(1, PART // max(1, max(a[:1].size for a in arrays)))
    for start in range(0, len(target), step):
        target[start:start + step] = compute(*[a[start:start + step] for a in arrays])
    return out


def _largest(data, places):
    """Along one axis after the other: k + k comparisons where all of a window's taps would be k · k."""
    out = places.padded(data, lowest(data.dtype))
    for number in range(len(places.kernel)):
        taps = places.taps_along(number, out)
        out = np.array(next(taps), order="C")
        for seen in taps:
            np.maximum(out, seen, out=out)
    return out


def lowest(dtype):
    """The smallest finite number of a type: what padding counts as for the largest element."""
    if dtype.kind == "b":
        return False
    return np.finfo(dtype).min if dtype.kind == "f" else np.iinfo(dtype).min


def _window_sum(data, places):
    """The sum over each window."""
    if places.is_whole:
        axes = tuple(range(places.first, places.first + len(places.space)))
        return np.add.reduce(data, axis=axes, keepdims=True, dtype=data.dtype)
    taps = places.taps(places.padded(data, 0))
    total = np.array(next(taps), order="C")
    for seen in taps:
        total += seen
    return total


@register("grad", "data")
class _sum_pooling_grad(Windows):
    """The adjoint of sum and avg pooling: each window hands its gradient to all that it saw. data gives the shape."""

    keeps = ("inputs",)
    models = ("data",)

    def infer_shape(self, grad, data):
        return [grad, data], [data]

    def forward(self, grad, data):
        places = self.places(data.shape)
        scale = self.weights(places, grad.dtype)
        wide = grad.astype(np.float32) if grad.dtype == np.float16 else grad
        if scale is not None:
            wide = wide * scale.astype(wide.dtype)
        if places.is_whole:
            return np.broadcast_to(wide, data.shape).astype(grad.dtype)
        padded = places.padded(np.zeros(data.shape, wide.dtype), 0)
        for seen in places.taps(padded):
            seen += wide
        return np.ascontiguousarray(places.inside(padded), grad.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.Pooling(out_grads[0], **self.attributes), None]


@register("grad", "data", "pooled")
class _max_pooling_grad(Windows):
    """The adjoint of max pooling: each window's gradient goes to the first of its largest elements."""

    keeps = ("inputs",)

    def infer_shape(self, grad, data, pooled):
        return [grad, data, pooled], [data]

    def forward(self, grad, data, pooled):
        places = self.places(data.shape)
        return in_parts(lambda *parts: self._handed_back(places, *parts), np.empty_like(data), grad, data, pooled,
                        merge=not self.last)

    @staticmethod
    def _handed_back(places, grad, data, pooled):
        result = places.padded(np.zeros_like(data), 0)
        open_ = np.ones(pooled.shape, bool)     # windows that have not found their largest element
        seens = places.taps(places.padded(data, lowest(data.dtype)))
        for seen, target in zip(seens, places.taps(result), strict=True):
            hit = seen == pooled
            hit &= open_
            open_ ^= hit
            if places.are_disjoint:
                np.multiply(grad, hit, out=target)      # nothing to add to
            else:
                target += grad * hit
        return places.inside(result)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._pick_largest(out_grads[0], *inputs[1:], **self.attributes), None, None]


@register("values", "data", "pooled")
class _pick_largest(Windows):
    """From each window of `values` the element that stands where `data` is first largest. The adjoint's adjoint."""

    keeps = ("inputs",)

    def infer_shape(self, values, data, pooled):
        return [values, data, pooled], [pooled]

    def forward(self, values, data, pooled):
        places = self.places(data.shape)
        result, open_ = np.zeros_like(pooled), np.ones(pooled.shape, bool)
        seens = places.taps(places.padded(data, lowest(data.dtype)))
        for seen, value in zip(seens, places.taps(places.padded(values, 0)), strict=True):
            hit = seen == pooled
            hit &= open_
            open_ ^= hit
            np.copyto(result, value, where=hit)
        return result

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._max_pooling_grad(out_grads[0], *inputs[1:], **self.attributes), None, None]
