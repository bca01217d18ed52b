"""BilinearResize2D and AdaptiveAvgPooling2D: image resizing by interpolation and by averaging.

Both apply a small linear map along each of the two spatial axes.
"""

from typing import Literal

import numpy as np

from ..fields import Shape
from ..linear import Linear, linear
from .boxes import wide

__all__ = []


class SeparableResize(Linear):
    """Base class for data (N, C, H, W). A subclass maps an axis to a different length and back."""

    def infer_dtype(self, data, *others):
        self.require_float("data", data)
        return [data, *others], [data]

    def new_space(self, data, *others):
        """Returns (h, w) of the result."""
        raise NotImplementedError

    def infer_shape(self, data, *others):
        self.require_rank("data", data, 4)
        self.check(data)
        if data is None or None in others or any(None in s[2:] for s in (data, *others)):
            return [data, *others], [None]
        space = self.new_space(data, *others)
        if any(n == 0 < m for n, m in zip(data[2:], space, strict=True)):
            raise self.shape_clash(f"data {data} has no elements to make {space[0]} x {space[1]} of", "data")
        return [data, *others], [(*data[:2], *space)]

    def check(self, data):
        """Raises ShapeError for attributes that are invalid for any data."""

    def forward(self, data, *others):
        out = wide(data)
        for axis, count in zip((2, 3), self.new_space(data.shape, *[x.shape for x in others]), strict=True):
            out = self.along(out, axis, count)
        return np.ascontiguousarray(out, data.dtype) if out is not data else data.copy()

    def adjoint(self, grad, data, *others):
        out = wide(grad)
        for axis in (3, 2):
            out = self.back(out, axis, data.shape[axis])
        return np.ascontiguousarray(out, grad.dtype) if out is not grad else grad.copy()


@linear("data", "like")
class _contrib_BilinearResize2D(SeparableResize):
    """data resized to a different height and width by bilinear interpolation.

    data (N, C, H, W) | like (N, C, h, w), only with mode like | out (N, C, h, w)

    height: h, for mode size.
    width: w, for mode size.
    scale_height: h / H, for modes size (instead of height) and odd_scale; h is rounded down.
    scale_width: w / W, for modes size (instead of width) and odd_scale; w is rounded down.
    mode: how h and w are chosen. size: as above. odd_scale: with the scales, but an odd length n becomes (n - 1) ·
    scale + 1.
        like: the height and width of `like`. to_even_down, to_even_up, to_odd_down, to_odd_up: the next even or odd
        length, or the same length if it is already even or odd.
    align_corners: if True, align the centers of the first and last elements; if False, align their outer edges.

    Raises ShapeError for lengths and scales that are not positive, and for odd_scale without scales.

    >>> print(nd.contrib.BilinearResize2D(nd.array([[[[0, 4]]]]), height=1, width=3).asnumpy())
    [[[[0. 2. 4.]]]]
    """

    height: int = 1
    width: int = 1
    scale_height: float | None = None
    scale_width: float | None = None
    mode: Literal["size", "odd_scale", "like", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"] = "size"
    align_corners: bool = True

    def list_arguments(self):
        return self.arguments if self.mode == "like" else self.arguments[:1]

    def new_space(self, data, like=None):
        if self.mode == "like":
            return like[2:]
        requests = (self.height, self.scale_height), (self.width, self.scale_width)
        return tuple(self.new_length(n, *how) for n, how in zip(data[2:], requests, strict=True))

    def new_length(self, n, length, scale):
        if self.mode == "size":
            return length if scale is None else int(n * scale)
        if self.mode == "odd_scale":
            return int(n * scale) if n % 2 == 0 else int((n - 1) * scale) + 1
        return n if (n % 2 == 0) == ("even" in self.mode) else n + (1 if self.mode.endswith("up") else -1)

    def check(self, data):
        scales = self.scale_height, self.scale_width
        if self.mode == "odd_scale" and None in scales:
            raise self.shape_clash("mode='odd_scale' needs scale_height and scale_width")
        if any(scale is not None and not scale > 0 for scale in scales):
            raise self.shape_clash(f"scale_height={scales[0]} and scale_width={scales[1]} must be positive")
        if self.mode == "size" and min(self.height, self.width) < 1:
            raise self.shape_clash(f"height={self.height} and width={self.width} must be positive")

    def scale(self, old, new):
        """Returns the number of elements along an axis of length `old` per element along one of length `new`."""
        if new < 2:
            return 0.0              # both neighbors are the first element, as in MXNet
        return (old - 1) / (new - 1) if self.align_corners else old / new

    def taps(self, old, new, dtype):
        """Returns (lower element, upper element, weight of the upper element) for each of `new` elements."""
        real = dtype.type
        at = np.arange(new, dtype=dtype)
        scale = real(self.scale(old, new))
        at = at * scale if self.align_corners else np.maximum(scale * (at + real(0.5)) - real(0.5), 0)
        low = np.minimum(at.astype(np.int64), max(old - 1, 0))
        return low, np.minimum(low + 1, max(old - 1, 0)), at - low

    def along(self, x, axis, new):
        old = x.shape[axis]
        if old == new:
            return x
        low, high, part = self.taps(old, new, x.dtype)
        part = part if axis == 3 else part[:, None]
        out, above = np.take(x, low, axis), np.take(x, high, axis)
        out *= 1 - part             # in place: allocating each product would take most of the time
        above *= part
        out += above
        return out

    def back(self, g, axis, old):
        if old == g.shape[axis]:
            return g
        taps, g = self.taps(old, g.shape[axis], g.dtype), np.moveaxis(g, axis, 0)
        out = np.zeros((old, *g.shape[1:]), g.dtype)
        for grad, low, high, part in zip(g, *taps, strict=True):
            out[low] += grad * (1 - part)
            out[high] += grad * part
        return np.moveaxis(out, 0, axis)


@linear("data")
class _contrib_AdaptiveAvgPooling2D(SeparableResize):
    """The means of windows that divide data into h rows and w columns, for any H and W.

    data (N, C, H, W) | out (N, C, h, w). Along an axis, window i is [⌊i · H / h⌋, ⌈(i + 1) · H / h⌉).

    output_size: (h, w), or one number for both; () stands for 1.

    Source: He, Zhang, Ren and Sun 2014, Spatial pyramid pooling, arXiv:1406.4729.

    >>> print(nd.contrib.AdaptiveAvgPooling2D(nd.array([[[[1, 3, 5]]]]), output_size=(1, 2)).asnumpy())
    [[[[2. 4.]]]]
    """

    output_size: Shape = ()

    def new_space(self, data):
        return {0: (1, 1), 1: self.output_size * 2}.get(len(self.output_size), self.output_size)

    def check(self, data):
        if len(self.output_size) > 2 or min(self.output_size, default=1) < 1:
            raise self.shape_clash(f"output_size={self.output_size} must be one or two positive numbers")
        if data is not None and 0 in data[2:]:
            raise self.shape_clash(f"data has shape {data}: there is no mean of no elements", "data")

    @staticmethod
    def windows(old, new):
        """For each window, yields its slice along the axis of length `new` and the slice that it covers along the old
        axis. """
        for i in range(new):
            yield slice(i, i + 1), slice(i * old // new, -(-(i + 1) * old // new))

    def along(self, x, axis, new):
        old = x.shape[axis]
        if old == new:
            return x
        x = np.moveaxis(x, axis, 0)
        out = np.empty((new, *x.shape[1:]), x.dtype)
        for window, covered in self.windows(old, new):
            np.mean(x[covered], 0, x.dtype, out=out[window], keepdims=True)
        return np.moveaxis(out, 0, axis)

    def back(self, g, axis, old):
        new = g.shape[axis]
        if old == new:
            return g
        g = np.moveaxis(g, axis, 0)
        out = np.zeros((old, *g.shape[1:]), g.dtype)
        for window, covered in self.windows(old, new):
            out[covered] += g[window] / g.dtype.type(covered.stop - covered.start)
        return np.moveaxis(out, 0, axis)
