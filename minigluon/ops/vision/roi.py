"""Pooling of regions of interest to a common size, by the maximum or the mean of whole elements."""

import math

import numpy as np

from ..fields import Shape
from ..linear import linear
from ..math.elementwise import round_half_away
from ..op import Op
from ..registry import register
from .boxes import wide
from .roi_align import RegionOp

__all__ = []

MAX_PLACES = 2 ** 31 - 1        # the maximum number of elements in a plane, because the argmax is stored as int32


def bins(start, length, count, end):
    """Returns (begin, end) of `count` bins that divide a region along an axis of `end` elements; they may overlap."""
    step = np.arange(count + 1, dtype=length.dtype) * (length / length.dtype.type(count))
    first, last = np.floor(step[:-1] + start), np.ceil(step[1:] + start)
    return tuple(np.clip(edge, 0, end).astype(np.int64) for edge in (first, last))


@register("data", "rois")
class ROIPooling(RegionOp):
    """Divides each region into bins and returns the maximum of each bin; 0 for a bin without elements.

    data (N, C, H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax, inclusive, in units of 1 /
    spatial_scale; for a region without an image (-1) the result is zeros | out (R, C, h, w)

    Source: Girshick 2015, Fast R-CNN, arXiv:1504.08083.

    >>> data, rois = nd.array([[[[1, 2, 3, 4], [5, 6, 7, 8]]]]), nd.array([[0, 0, 0, 3, 1]])
    >>> print(nd.ROIPooling(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy())
    [[[[6. 8.]]]]
    """

    pooled_size: Shape
    spatial_scale: float
    num_outputs = 2             # the hidden output: the argmax within its plane, -1 for none
    output_names = ("output",)
    keeps = ("inputs", "outputs")

    def infer_shape(self, data, rois):
        inputs, [out] = super().infer_shape(data, rois)
        if data is not None and math.prod(n or 0 for n in data[2:]) > MAX_PLACES:
            raise self.shape_clash(f"data has shape {data}, and places of a plane are int32: at most {MAX_PLACES}",
                                   "data")
        return inputs, [out, out]

    def infer_dtype(self, data, rois):
        inputs, [out] = super().infer_dtype(data, rois)[0], [data if data is not None else rois]
        return inputs, [out, np.dtype(np.int32)]

    def forward(self, data, rois):
        n, c, h, w = data.shape
        out = np.zeros((len(rois), c, *self.pooled), data.dtype)
        winner = np.full(out.shape, -1, np.int32)
        for number, image, region in self.regions(rois, n):
            highest, place = maxima(data[image], *self.windows(region, (h, w)))
            out[number], winner[number] = highest, place
        return out, winner

    def windows(self, region, space):
        """Returns ((begin, end) of the bins along y, the same along x)."""
        left, top, right, bottom = round_half_away(region * region.dtype.type(self.spatial_scale))
        lengths = (max(b - a + 1, region.dtype.type(1)) for a, b in ((top, bottom), (left, right)))
        return [bins_from(start, length, count, end) for start, length, count, end in zip(
            (top, left), lengths, self.pooled, space, strict=True)]

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._roi_pooling_grad(out_grads[0], outputs[1], *inputs, **self.attributes), None]


def bins_from(start, length, count, end):
    """Returns (begin, end) of `count` bins that divide a region of whole elements along an axis of `end` elements."""
    size = length / length.dtype.type(count)
    number = np.arange(count, dtype=length.dtype)
    edges = np.floor(number * size) + start, np.ceil((number + 1) * size) + start
    return tuple(np.clip(edge, 0, end).astype(np.int64) for edge in edges)


def maxima(planes, rows, columns):
    """Returns (maximum, argmax) of each bin of planes (C, H, W): two arrays (C, h, w); 0 and -1 for an empty bin."""
    c, h, w = planes.shape
    shape = c, len(rows[0]), len(columns[0])
    tall, broad = (int((end - begin).max(initial=0)) for begin, end in (rows, columns))
    if not tall or not broad:
        return np.zeros(shape, planes.dtype), np.full(shape, -1, np.int32)
    y, x = rows[0][:, None] + np.arange(tall), columns[0][:, None] + np.arange(broad)
    there = (y < rows[1][:, None])[:, None, :, None] & (x < columns[1][:, None])[None, :, None, :]
    y, x = np.minimum(y, h - 1)[:, None, :, None], np.minimum(x, w - 1)[None, :, None, :]
    windows = np.where(there, planes[:, y, x], -np.inf).reshape(*shape, tall * broad)
    first = windows.argmax(-1)
    place = np.broadcast_to(y * w + x, there.shape).reshape(*shape[1:], -1)
    place = np.take_along_axis(place[None], first[..., None], -1)[..., 0]
    highest = np.take_along_axis(windows, first[..., None], -1)[..., 0]
    some = there.reshape(*shape[1:], -1).any(-1)
    return np.where(some, highest, 0).astype(planes.dtype), np.where(some, place, -1).astype(np.int32)


@register("grad", "winner", "data", "rois")
class _roi_pooling_grad(Op):
    """The gradient of ROIPooling with respect to data: the gradient of each bin goes to its maximum."""

    pooled_size: Shape
    spatial_scale: float
    keeps = ("inputs",)
    shape_only = ("data",)

    def infer_shape(self, grad, winner, data, rois):
        (data, rois), (output, _) = ROIPooling(**self.attributes).infer_shape(data, rois)
        winner = self.require("winner", winner, self.require("grad", grad, output))
        return [winner, winner, data, rois], [data]

    def infer_dtype(self, grad, winner, data, rois):
        (data, rois), (output, number) = ROIPooling(**self.attributes).infer_dtype(data, rois)
        grad = self.require_dtype("grad", grad, output)
        return [grad, self.require_dtype("winner", winner, number), data, rois], [grad]

    def forward(self, grad, winner, data, rois):
        n, c, h, w = data.shape
        place, there = self.places(winner, data.shape, rois)
        out = np.bincount(place[there], wide(grad)[there], n * c * h * w)
        return out.reshape(data.shape).astype(grad.dtype)

    def places(self, winner, shape, rois):
        """Returns (flat index of each bin's maximum, whether the bin is non-empty)."""
        n, c, h, w = shape
        number = wide(rois)[:, 0]
        image = np.where((number >= 0) & (number < n), number, -1).astype(np.int64).reshape(-1, 1, 1, 1)
        there = (winner >= 0) & (winner < h * w) & (image >= 0)
        return (image * c + np.arange(c).reshape(-1, 1, 1)) * (h * w) + winner, there

    def gradient(self, F, out_grads, inputs, outputs):
        _, winner, data, rois = inputs
        return [F._roi_pooling_chosen(out_grads[0], winner, rois, **self.attributes), None, None, None]


@register("data", "winner", "rois")
class _roi_pooling_chosen(_roi_pooling_grad):
    """The elements of data at the maxima: the adjoint of the gradient."""

    shape_only = ()

    def infer_shape(self, data, winner, rois):
        (_, winner, data, rois), _ = super().infer_shape(None, winner, data, rois)
        return [data, winner, rois], [winner]

    def infer_dtype(self, data, winner, rois):
        (_, winner, data, rois), _ = super().infer_dtype(None, winner, data, rois)
        return [data, winner, rois], [data]

    def forward(self, data, winner, rois):
        place, there = self.places(winner, data.shape, rois)
        return np.where(there, data.reshape(-1)[np.where(there, place, 0)], data.dtype.type(0)) if data.size else (
            np.zeros(winner.shape, data.dtype))

    def gradient(self, F, out_grads, inputs, outputs):
        data, winner, rois = inputs
        return [F._roi_pooling_grad(out_grads[0], winner, data, rois, **self.attributes), None, None]


@linear("data", "rois")
class _contrib_PSROIPooling(RegionOp):
    """Divides each region into bins and returns the mean of each bin over its own channels.

    data (N, output_dim · g², H, W), g = group_size or pooled_size | rois (R, 5): the image's index, xmin, ymin, xmax,
    ymax, rounded, inclusive | out (R, output_dim, p, p), p = pooled_size

    Bin (i, j) of channel c reads channel (c · g + i · g // p) · g + j · g // p; 0 for a bin without elements.

    output_dim: the number of channels of out.
    pooled_size: p, the number of bins in a region along each axis.
    group_size: g, the number of groups of channels along each axis; 0 for p.

    Source: Dai, Li, He and Sun 2016, R-FCN, arXiv:1605.06409.

    >>> data, rois = nd.arange(4).reshape((1, 4, 1, 1)) * nd.ones((1, 1, 2, 2)), nd.array([[0, 0, 0, 1, 1]])
    >>> print(nd.contrib.PSROIPooling(data, rois, spatial_scale=1, output_dim=1, pooled_size=2).asnumpy())
    [[[[0. 1.]
       [2. 3.]]]]
    """

    spatial_scale: float
    output_dim: int
    pooled_size: int
    group_size: int = 0

    @property
    def pooled(self):
        return self.pooled_size, self.pooled_size

    @property
    def groups(self):
        """The number of groups of channels along each axis of the result."""
        return self.group_size or self.pooled_size

    def channels(self, count):
        if count is not None and count != self.output_dim * self.groups ** 2:
            raise self.shape_clash(f"data has {count} channels, expected output_dim · group_size² = "
                                   f"{self.output_dim * self.groups ** 2}", "data")
        return self.output_dim

    def windows(self, region, space):
        """Returns ((begin, end) of the bins along y, the same along x)."""
        real, (left, top, right, bottom) = region.dtype.type, round_half_away(region)
        scale = real(self.spatial_scale)
        return [bins(a * scale, max((b + 1) * scale - a * scale, real(0.1)), self.pooled_size, end)
                for (a, b), end in zip(((top, bottom), (left, right)), space, strict=True)]

    def source(self):
        """Returns the channel for each element of a result (output_dim, p, p)."""
        group = np.arange(self.pooled_size) * self.groups // self.pooled_size
        c = np.arange(self.output_dim)[:, None, None] * self.groups
        return (c + group[:, None]) * self.groups + group

    def each_bin(self, rois, shape):
        """Yields (index of the region, image, i, j, slices of the bin) for each bin that has elements."""
        for number, image, region in self.regions(rois, shape[0]):
            rows, columns = self.windows(region, shape[2:])
            for i, (top, bottom) in enumerate(zip(*rows, strict=True)):
                for j, (left, right) in enumerate(zip(*columns, strict=True)):
                    if top < bottom and left < right:
                        yield number, image, i, j, (slice(top, bottom), slice(left, right))

    def forward(self, data, rois):
        out, source = np.zeros((len(rois), self.output_dim, *self.pooled), data.dtype), self.source()
        for number, image, i, j, (rows, columns) in self.each_bin(rois, data.shape):
            out[number, :, i, j] = wide(data)[image, source[:, i, j], rows, columns].mean((1, 2))
        return out

    def adjoint(self, grad, data, rois):
        out, source = np.zeros(data.shape, wide(grad).dtype), self.source()
        for number, image, i, j, (rows, columns) in self.each_bin(rois, data.shape):
            count = (rows.stop - rows.start) * (columns.stop - columns.start)
            out[image, source[:, i, j], rows, columns] += grad[number, :, i, j, None, None] / out.dtype.type(count)
        return out.astype(grad.dtype)
