"""Deformable convolutions: each element of a window has its own offset, which is learned.

Dai, Qi, Xiong, Li, Zhang, Hu, Wei 2017, Deformable convolutional networks, arXiv:1703.06211
Zhu, Hu, Lin, Dai 2018, Deformable ConvNets v2: more deformable, better results, arXiv:1811.11168
"""

import math
from typing import Literal

import numpy as np

from ..fields import Shape
from ..registry import register
from ..vision.boxes import wide
from ..vision.interpolation import Points, inside
from .convolution import Convolution, Windows

__all__ = []


class DeformableWindows(Windows):
    """Base class of these operators: the shapes of data and offsets, and the positions of window elements.

    Offsets (N, groups · 2 · elements of kernel, h, w): the shift down and to the right, for each group of channels and
    each element of the kernel.

    num_deformable_group: the number of groups of channels, each with its own offsets.
    im2col_step: no effect; in MXNet it is the number of images computed at once.
    """

    layout = None
    num_group = 1

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    @property
    def taps(self):
        """The number of elements in the kernel."""
        return math.prod(self.kernel)

    def deformed_shapes(self, data, offset):
        """Returns the completed shapes of data and offset, and the spatial shape of the result."""
        geometry, groups = self.geometry(), self.num_deformable_group
        self.require_rank("data", data, 4)
        if len(self.kernel) != 2:
            raise self.shape_clash(f"kernel={self.kernel} must have two numbers")
        if groups < 1 or data is not None and data[1] is not None and data[1] % groups:
            raise self.shape_clash(f"num_deformable_group={groups} does not divide the channels of data {data}", "data")
        space = (None, None) if data is None else geometry.out_space(data[2:])
        if any(n is not None and n < 1 for n in space):
            raise self.shape_clash(f"kernel={self.kernel} is larger than data {data} with pad={geometry.pad}", "data")
        batch = None if data is None else data[0]
        offset = self.require("offset", offset, (batch, 2 * groups * self.taps, *space))
        return data, offset, space

    @property
    def bent(self):
        """Returns the attributes of `_deformable_columns`."""
        return {name: getattr(self, name) for name in ("kernel", "stride", "dilate", "pad", "num_deformable_group",
                                                       "clamps")}

    def grid(self, space):
        """Returns (y, x) for the elements of all windows before offsets are added, each (taps, h, w)."""
        geometry = self.geometry()
        return [np.stack([out[axis] * s + tap[axis] * d - p for tap in np.ndindex(*self.kernel)])
                for out in [np.indices(space)]
                for axis, (s, d, p) in enumerate(zip(geometry.stride, geometry.dilate, geometry.pad, strict=True))]

    def groups_of(self, data, offset):
        """Yields (image, slice of channels, Points (taps, h, w), masks of valid slopes along y and x) per group."""
        channels, space = data.shape[1] // max(self.num_deformable_group, 1), data.shape[2:]
        grid = self.grid(offset.shape[2:])
        bends = wide(offset).reshape(len(offset), -1, self.taps, 2, *offset.shape[2:])
        for image, group in np.ndindex(*bends.shape[:2]):
            at = [start.astype(bends.dtype) + bends[image, group, :, k] for k, start in enumerate(grid)]
            slopes = [True, True]
            if self.clamps:
                # Only points inside the image count; the image extends one element beyond the last row and column.
                there = [(y >= 0) & (y < n) for y, n in zip(at, space, strict=True)]
                slopes = [y < n - 1 for y, n in zip(at, space, strict=True)]
                at = [np.where(there[0] & there[1], inside(y, n), -2) for y, n in zip(at, space, strict=True)]
            yield image, slice(group * channels, (group + 1) * channels), Points(*at, *space), slopes


@register("data", "offset")
class _deformable_columns(DeformableWindows):
    """The windows of a deformable convolution as columns: data (N, C, H, W) becomes (N, C · taps, h · w).

    clamps: if True, apply the first paper's rule at the edges: a point less than 1 beyond the last row or column is
    moved onto it. Otherwise elements beyond an edge count as zero.
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_deformable_group: int = 1
    clamps: bool = True
    keeps = ("inputs",)

    def infer_shape(self, data, offset):
        data, offset, space = self.deformed_shapes(data, offset)
        channels = None if data is None or data[1] is None else data[1] * self.taps
        return [data, offset], [(offset[0], channels, None if None in space else math.prod(space))]

    def forward(self, data, offset):
        n, c, h, w = data.shape
        planes = wide(data).reshape(n, c, h * w)
        out = np.zeros((n, c, self.taps, *offset.shape[2:]), data.dtype)
        for image, channels, points, _ in self.groups_of(data, offset) if data.size else ():
            out[image, channels] = points.of(planes[image, channels])
        return out.reshape(n, c * self.taps, math.prod(offset.shape[2:]))

    def gradient(self, F, out_grads, inputs, outputs):
        return [lambda: F._deformable_data_grad(out_grads[0], *inputs, **self.bent),
                lambda: F._deformable_offset_grad(out_grads[0], *inputs, **self.bent)]


@register("grad", "data", "offset")
class _deformable_data_grad(_deformable_columns):
    """The gradient of the columns with respect to data, distributed to the four elements around each point."""

    shape_only = ("data",)

    def infer_shape(self, grad, data, offset):
        (data, offset), (columns,) = super().infer_shape(data, offset)
        return [self.require("grad", grad, columns), data, offset], [data]

    def forward(self, grad, data, offset):
        out = np.zeros(data.shape, grad.dtype)
        shares = wide(grad).reshape(*data.shape[:2], self.taps, *offset.shape[2:])
        for image, channels, points, _ in self.groups_of(data, offset) if data.size else ():
            spread = points.spread(shares[image, channels])
            out[image, channels] = spread.reshape(-1, *data.shape[2:])
        return out

    gradient = Windows.gradient


@register("grad", "data", "offset")
class _deformable_offset_grad(_deformable_columns):
    """The gradient of the columns with respect to offset: slopes of data, summed over the channels in a group."""

    def infer_shape(self, grad, data, offset):
        (data, offset), (columns,) = super().infer_shape(data, offset)
        return [self.require("grad", grad, columns), data, offset], [offset]

    def forward(self, grad, data, offset):
        n, c, h, w = data.shape
        planes, space = wide(data).reshape(n, c, h * w), offset.shape[2:]
        shares = wide(grad).reshape(n, c, self.taps, *space)
        out = np.zeros((n, self.num_deformable_group, self.taps, 2, *space), grad.dtype)
        for image, channels, points, counts in self.groups_of(data, offset) if data.size else ():
            group = channels.start // max(channels.stop - channels.start, 1)
            for k, slope in enumerate(points.slopes(planes[image, channels])):
                out[image, group, :, k] = np.where(counts[k], (shares[image, channels] * slope).sum(0), 0)
        return out.reshape(offset.shape)

    gradient = Windows.gradient


class Deformable(DeformableWindows):
    """Columns of deformed windows, which are then multiplied by the filters."""

    keeps = ("inputs",)
    clamps = True

    def list_arguments(self):
        return self.arguments[:-1] if self.no_bias else self.arguments

    def filter_shapes(self, data, weight, bias):
        """Returns the completed shapes of weight and, if it exists, bias."""
        channels = None if data is None else data[1]
        self.divide(f"num_filter={self.num_filter}", self.num_filter)
        ins = self.divide(f"the {channels} channels of data {data}", channels)
        weight = self.require("weight", weight, (self.num_filter, ins, *self.kernel))
        return [weight] if self.no_bias else [weight, self.require("bias", bias[0] if bias else None,
                                                                   (self.num_filter,))]

    @property
    def product(self):
        """Returns the attributes for the convolution of columns with filters."""
        return {"kernel": (1,), "num_group": self.num_group}

    def multiplied(self, columns, weight, *bias):
        """Returns the result (N, num_filter, windows) from NumPy columns."""
        op = Convolution(num_filter=self.num_filter, no_bias=self.no_bias, **self.product)
        return op.forward(columns, weight.reshape(self.num_filter, -1, 1), *bias)

    def composed(self, F, columns, weight, *bias, space):
        """Computes the same result with operators from F."""
        out = F.Convolution(columns, F.reshape(weight, shape=(0, -1, 1)), *bias, num_filter=self.num_filter,
                            no_bias=self.no_bias, **self.product)
        return F.reshape(out, shape=(0, 0, *space))

    def product_gradients(self, F, grad, columns, weight):
        """Returns (the gradient of the columns, [the gradients of weight and, if it exists, bias])."""
        flat, filters = F.reshape(grad, shape=(0, 0, -1)), F.reshape(weight, shape=(0, -1, 1))
        by_weight = F.reshape_like(F._conv_weight_grad(flat, columns, filters, **self.product), weight)
        by_bias = [] if self.no_bias else [F.sum(grad, axis=1, exclude=True)]
        return F._conv_data_grad(flat, filters, columns, **self.product), [by_weight, *by_bias]


@register("data", "offset", "weight", "bias")
class _contrib_DeformableConvolution(Deformable):
    """A convolution whose window elements are shifted by `offset`.

    data (N, C, H, W) | offset (N, num_deformable_group · 2 · kh · kw, h, w): down, then to the right |
    weight (num_filter, C / num_group, kh, kw) | bias (num_filter,), absent with no_bias | out (N, num_filter, h, w)

    h and w are as in Convolution. Points between elements of data are interpolated bilinearly.

    Source: Dai et al. 2017, Deformable convolutional networks, arXiv:1703.06211.

    >>> data, weight = nd.array([[[[1, 2, 4]]]]), nd.ones((1, 1, 1, 1))
    >>> offset = nd.array([[[[0, 0, 0]], [[0, 0.5, -2]]]])      # down, and to the right
    >>> how = {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
    >>> print(nd.contrib.DeformableConvolution(data, offset, weight, **how).asnumpy())
    [[[[1. 3. 1.]]]]
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: int
    num_group: int = 1
    num_deformable_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    layout: Literal["NCDHW", "NCHW", "NCW"] | None = None

    def infer_shape(self, data, offset, weight, *bias):
        data, offset, space = self.deformed_shapes(data, offset)
        return [data, offset, *self.filter_shapes(data, weight, bias)], [(offset[0], self.num_filter, *space)]

    def forward(self, data, offset, *filters):
        columns = _deformable_columns(**self.bent).forward(data, offset)
        return self.multiplied(columns, *filters).reshape(len(data), self.num_filter, *offset.shape[2:])

    def gradient(self, F, out_grads, inputs, outputs):
        data, offset, weight = inputs[:3]
        columns = F._deformable_columns(data, offset, **self.bent)
        by_columns, by_filters = self.product_gradients(F, out_grads[0], columns, weight)
        return [lambda: F._deformable_data_grad(by_columns, data, offset, **self.bent),
                lambda: F._deformable_offset_grad(by_columns, data, offset, **self.bent), *by_filters]


@register("data", "offset", "mask", "weight", "bias")
class _contrib_ModulatedDeformableConvolution(Deformable):
    """DeformableConvolution whose window elements are also multiplied by `mask`.

    data (N, C, H, W) | offset (N, num_deformable_group · 2 · kh · kw, h, w) | mask (N, num_deformable_group · kh · kw,
    h, w) | weight (num_filter, C / num_group, kh, kw) | bias (num_filter,), absent with no_bias |
    out (N, num_filter, h, w)

    Elements beyond an edge count as zero.

    Source: Zhu, Hu, Lin and Dai 2018, Deformable ConvNets v2, arXiv:1811.11168.

    >>> data, weight, offset = nd.array([[[[1, 2, 4]]]]), nd.ones((1, 1, 1, 1)), nd.zeros((1, 2, 1, 3))
    >>> mask, how = nd.array([[[[1, 0.5, 0]]]]), {"kernel": (1, 1), "num_filter": 1, "no_bias": True}
    >>> print(nd.contrib.ModulatedDeformableConvolution(data, offset, mask, weight, **how).asnumpy())
    [[[[1. 1. 0.]]]]
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    num_filter: int
    num_group: int = 1
    num_deformable_group: int = 1
    workspace: int = 1024
    no_bias: bool = False
    im2col_step: int = 64
    layout: Literal["NCDHW", "NCHW", "NCW"] | None = None
    clamps = False

    def infer_shape(self, data, offset, mask, weight, *bias):
        data, offset, space = self.deformed_shapes(data, offset)
        mask = self.require("mask", mask, (offset[0], self.num_deformable_group * self.taps, *space))
        return [data, offset, mask, *self.filter_shapes(data, weight, bias)], [(offset[0], self.num_filter, *space)]

    def forward(self, data, offset, mask, *filters):
        columns = _deformable_columns(**self.bent).forward(data, offset)
        n, groups = len(data), self.num_deformable_group
        size = math.prod(mask.shape[1:]) // groups
        weighed = columns.reshape(n, groups, data.shape[1] // groups, size) * mask.reshape(n, groups, 1, size)
        out = self.multiplied(weighed.reshape(columns.shape), *filters)
        return out.reshape(n, self.num_filter, *offset.shape[2:])

    def weighed(self, F, columns, mask):
        """Returns columns times mask, with operators from F. In both, (tap, window) are the last axes within a group of
        channels.
        """
        product = F.broadcast_mul(self.in_groups(F, columns), self.in_groups(F, F.reshape(mask, shape=(0, 0, -3))))
        return F.reshape_like(product, columns)

    def in_groups(self, F, x):
        """Returns x (N, groups · channels · taps, windows) as (N · groups, channels, taps, windows)."""
        groups = F.reshape(x, shape=(0, -4, self.num_deformable_group, -1, 0))
        return F.reshape(F.reshape(groups, shape=(-3, 0, 0)), shape=(0, -4, -1, self.taps, 0))

    def by_mask(self, F, product, mask):
        """Returns the gradient of mask from the product of the columns and their gradient."""
        return F.reshape_like(F.sum(self.in_groups(F, product), axis=1, keepdims=True), mask)

    def gradient(self, F, out_grads, inputs, outputs):
        data, offset, mask, weight = inputs[:4]
        columns = F._deformable_columns(data, offset, **self.bent)
        by_weighed, by_filters = self.product_gradients(F, out_grads[0], self.weighed(F, columns, mask), weight)
        by_columns = self.weighed(F, by_weighed, mask)
        return [lambda: F._deformable_data_grad(by_columns, data, offset, **self.bent),
                lambda: F._deformable_offset_grad(by_columns, data, offset, **self.bent),
                lambda: self.by_mask(F, by_weighed * columns, mask), *by_filters]
