"""Position-sensitive pooling of regions, with bins moved by learned offsets.

Dai, Qi, Xiong, Li, Zhang, Hu, Wei 2017, Deformable convolutional networks, arXiv:1703.06211
"""

import math

import numpy as np

from ..math.elementwise import round_half_away
from ..op import Op
from ..registry import register
from ..shapes import size_of
from .boxes import wide
from .interpolation import Points, inside
from .roi_align import require_few_samples

__all__ = []


class Bins:
    """All bins of a region: their sample points and the planes of the image that they read.

    y, x: (classes, p, p, samples) when broadcast, in elements of planes of shape `space` | channels (classes, each, p,
    p), where each is the number of the result's channels per class
    """

    def __init__(self, y, x, channels, space):
        at = [inside(along, length, 0.5) for along, length in zip((y, x), space, strict=True)]
        self.points, self.first = Points(*at, *space), channels[..., None] * (space[0] * space[1])
        self.there = (at[0] != -2) & (at[1] != -2)
        self.count = np.maximum(self.there.sum(-1), 1)
        self.slants = [self.there & (along != np.floor(along)) for along in at]     # 0 if the point is on an element

    def combined(self, image, weights):
        """Returns Σ weight · element over the four elements around each point: (classes, each, p, p, samples)."""
        total = 0
        for index, weight, there in zip(self.points.index, weights, self.points.there, strict=True):
            values = image[self.first + index[:, None]] * weight[:, None]
            total = total + np.where(there[:, None], values, values.dtype.type(0))
        return total

    def means(self, image):
        """Returns the mean of each bin: (classes, each, p, p)."""
        sums = self.combined(image, self.points.weight).sum(-1)
        return sums / self.count[:, None].astype(sums.dtype)

    def slopes(self, image):
        """Returns the derivatives of each sample with respect to y and x, (classes, each, p, p, samples)."""
        for weights, counts in zip((self.points.by_y, self.points.by_x), self.slants, strict=True):
            slope = self.combined(image, weights)
            yield np.where(counts[:, None], slope, slope.dtype.type(0))

    def spread(self, share, image):
        """Adds the share (classes, each, p, p) of every sample to the four elements around the sample, in place."""
        for index, weight, there in zip(self.points.index, self.points.weight, self.points.there, strict=True):
            values = np.where(there[:, None], share[..., None] * weight[:, None], share.dtype.type(0))
            np.add.at(image, (self.first + index[:, None]).ravel(), values.ravel())


class DeformableRegionOp(Op):
    """Base class of the operator and its gradients: the shapes, and the sample points of all bins.

    spatial_scale: the number of data elements per unit in rois.
    output_dim: the number of channels of out.
    group_size: g, the number of groups of channels along each axis.
    pooled_size: p, the number of bins in a region along each axis.
    part_size: the number of offsets in a region along each axis; 0 stands for pooled_size.
    sample_per_part: the number of samples in a bin along each axis.
    trans_std: the factor of trans.
    no_trans: if True, leave the bins in place; trans is then omitted.
    """

    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments[:-1] if self.no_trans else self.arguments

    @property
    def parts(self):
        """The number of offsets in a region along each axis."""
        return self.part_size or self.pooled_size

    def input_shapes(self, data, rois, trans):
        """Returns the completed shapes of [data, rois, and trans if it exists]."""
        for name in ("output_dim", "group_size", "pooled_size", "sample_per_part"):
            if getattr(self, name) < 1:
                raise self.shape_clash(f"{name}={getattr(self, name)} must be 1 or more")
        require_few_samples(self, "sample_per_part")
        channels = self.output_dim * self.group_size ** 2
        data = self.require("data", data, (None, channels, None, None))
        rois = self.require("rois", rois, (None, 5))
        if not trans:
            return [data, rois]
        moved = self.require("trans", trans[0], (rois[0], None, self.parts, self.parts))
        if moved[1] is not None and (moved[1] < 2 or moved[1] % 2 or self.output_dim % (moved[1] // 2)):
            raise self.shape_clash(f"trans has {moved[1]} channels, expected 2 for each class, in a number of classes "
                                   f"that divides output_dim={self.output_dim}", "trans")
        return [data, rois, moved]

    def infer_dtype(self, *dtypes):
        for name, dtype in zip(self.list_arguments(), dtypes, strict=True):
            self.require_float(name, dtype)
        return super().infer_dtype(*dtypes)

    def regions(self, data, rois, trans):
        """Yields (index, index of its image, Bins, (height, width)) for each region that has an image."""
        channels = self.channels(1 if self.no_trans else trans.shape[1] // 2)
        for number, region in enumerate(wide(rois)) if data.size else ():
            if 0 <= region[0] < len(data):
                start, size = self.extent(region)
                y, x = self.samples(start, size, self.moves(trans, number))
                yield number, int(region[0]), Bins(y, x, channels, data.shape[2:]), size

    def share(self, grad, bins):
        """Returns each sample's share (classes, each, p, p) of a region's gradient (output_dim, p, p)."""
        share = wide(grad).reshape(len(bins.count), -1, *grad.shape[1:])
        return share / bins.count[:, None].astype(share.dtype)

    def extent(self, region):
        """Returns a region's ((top, left), (height, width)) in elements of data."""
        real = region.dtype.type
        left, top, right, bottom = round_half_away(region[1:])
        scale, half = real(self.spatial_scale), real(0.5)
        return ((top * scale - half, left * scale - half),
                [max((end + 1) * scale - start * scale, real(0.1)) for start, end in ((top, bottom), (left, right))])

    def moves(self, trans, number):
        """Returns the shifts of a region's bins down and to the right, in units of its size: two arrays (classes, p,
        p)."""
        if self.no_trans:
            return [np.zeros((1, 1, 1), np.float32)] * 2
        part = self.part()
        moves = wide(trans)[number][:, part[:, None], part] * wide(trans).dtype.type(self.trans_std)
        return moves[1::2], moves[::2]

    def part(self):
        """Returns the index of each bin's offset along an axis: (p,)."""
        return np.arange(self.pooled_size) * self.parts // self.pooled_size

    def samples(self, start, size, moves):
        """Returns y and x for the samples of all bins, (classes, p, p, samples) when broadcast."""
        real, n, p = type(size[0]), self.sample_per_part, self.pooled_size
        bins = np.arange(p, dtype=real)
        y, x = ((first + place * (length / real(p)) + move * length)[..., None]
                + np.arange(n, dtype=real) * (length / real(p) / real(n))
                for first, place, length, move in zip(start, (bins[:, None], bins), size, moves, strict=True))
        return np.repeat(y, n, -1), np.tile(x, n)

    def channels(self, classes):
        """Returns the channel of data that each bin reads: (classes, each, p, p)."""
        g, p = self.group_size, self.pooled_size
        group = np.arange(p) * g // p
        c = np.arange(self.output_dim).reshape(classes, -1, 1, 1)
        return (c * g + group[:, None]) * g + group


def images_of(data):
    """Returns data (N, C, h, w) as (N, C h w), in at least float32; without -1, because an axis may have length 0."""
    return wide(data).reshape(len(data), size_of(data.shape[1:]))


@register("data", "rois", "trans")
class _contrib_DeformablePSROIPooling(DeformableRegionOp):
    """Divides each region into bins, moves each bin by an offset, and returns the mean of its bilinear samples.

    data (N, output_dim · g², H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax in units of 1 /
    spatial_scale, rounded; the region includes them | trans (R, 2 · classes, q, q), q = part_size or pooled_size: to
    the right, then down, in units of the region's size / trans_std; absent with no_trans=True | out (R, output_dim, p,
    p)

    Bin (i, j) of channel c reads channel (c · g + i · g // p) · g + j · g // p, and is moved by the offset of class
    c · classes // output_dim at (i · q // p, j · q // p). Of the sample_per_part² samples in each bin, those up to half
    an element outside data count. A bin without samples is 0, as are all bins of a region without an image (-1).

    Source: Dai et al. 2017, Deformable convolutional networks, arXiv:1703.06211.

    >>> data, rois = nd.array([[[[1, 2, 3], [1, 2, 3]]]]), nd.array([[0, 0, 0, 1, 1]])
    >>> how = {"spatial_scale": 1, "output_dim": 1, "group_size": 1, "pooled_size": 1, "trans_std": 1}
    >>> print(nd.contrib.DeformablePSROIPooling(data, rois, nd.zeros((1, 2, 1, 1)), **how).asnumpy())
    [[[[1.]]]]
    >>> print(nd.contrib.DeformablePSROIPooling(data, rois, nd.array([[[[0.5]], [[0]]]]), **how).asnumpy())
    [[[[1.5]]]]
    """

    spatial_scale: float
    output_dim: int
    group_size: int
    pooled_size: int
    part_size: int = 0
    sample_per_part: int = 1
    trans_std: float = 0.0
    no_trans: bool = False

    def infer_shape(self, data, rois, *trans):
        inputs = self.input_shapes(data, rois, trans)
        return inputs, [(inputs[1][0], self.output_dim, self.pooled_size, self.pooled_size)]

    def forward(self, data, rois, trans=None):
        images = images_of(data)
        out = np.zeros((len(rois), self.output_dim, self.pooled_size, self.pooled_size), data.dtype)
        for number, image, bins, _ in self.regions(data, rois, trans):
            out[number] = bins.means(images[image]).reshape(out.shape[1:])
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        grads = [lambda: F._deformable_ps_roi_data_grad(out_grads[0], *inputs, **self.attributes), None]
        if not self.no_trans:
            grads.append(lambda: F._deformable_ps_roi_trans_grad(out_grads[0], *inputs, **self.attributes))
        return grads


@register("grad", "data", "rois", "trans")
class _deformable_ps_roi_data_grad(_contrib_DeformablePSROIPooling):
    """The gradient with respect to data: each sample's share goes to the four elements around it."""

    shape_only = ("data",)

    def infer_shape(self, grad, data, rois, *trans):
        inputs, (output,) = super().infer_shape(data, rois, *trans)
        return [self.require("grad", grad, output), *inputs], inputs[:1]

    def forward(self, grad, data, rois, trans=None):
        out = np.zeros((len(data), math.prod(data.shape[1:])), wide(grad).dtype)
        for number, image, bins, _ in self.regions(data, rois, trans):
            bins.spread(self.share(grad[number], bins), out[image])
        return out.reshape(data.shape).astype(grad.dtype)

    gradient = Op.gradient


@register("grad", "data", "rois", "trans")
class _deformable_ps_roi_trans_grad(_contrib_DeformablePSROIPooling):
    """The gradient with respect to trans: slopes of data at the samples, summed over the channels in a class."""

    def infer_shape(self, grad, data, rois, trans):
        inputs, (output,) = super().infer_shape(data, rois, trans)
        return [self.require("grad", grad, output), *inputs], inputs[2:]

    def forward(self, grad, data, rois, trans):
        images, out, part = images_of(data), np.zeros(trans.shape, wide(grad).dtype), self.part()
        for number, image, bins, size in self.regions(data, rois, trans):
            share = self.share(grad[number], bins)[..., None] * out.dtype.type(self.trans_std)
            for axis, (slope, length) in enumerate(zip(bins.slopes(images[image]), size, strict=True)):
                np.add.at(out[number, 1 - axis::2], (slice(None), part[:, None], part), (
                    share * slope).sum((1, 4)) * length)
        return out.astype(grad.dtype)

    gradient = Op.gradient
