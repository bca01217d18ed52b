"""Position-sensitive pooling of regions whose bins are moved, by offsets that are learned.

Dai, Qi, Xiong, Li, Zhang, Hu, Wei 2017, Deformable convolutional networks, arXiv:1703.06211
"""

import numpy as np

from .boxes import wide
from .interpolation import Points, inside
from .op import Op
from .registry import register
from .roi import rounded

__all__ = []


class Bin:
    """One bin of one region for one class: from which planes it reads, and at which points.

    out: its place in the result. planes: its place in data. trans: its place in trans, without y or x.
    """

    def __init__(self, out, planes, trans, at, space):
        self.out, self.planes, self.trans = out, planes, trans
        at = [inside(along, length, 0.5) for along, length in zip(at, space, strict=True)]
        self.points = Points(*at, *space)
        self.there = (at[0] != -2) & (at[1] != -2)
        self.count = max(int(self.there.sum()), 1)
        self.slants = [self.there & (along != np.floor(along)) for along in at]     # on an element no slope counts


class Moved(Op):
    """What the operator and its gradients share: the shapes, and where the samples of all bins lie."""

    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments[:-1] if self.no_trans else self.arguments

    @property
    def parts(self):
        """Offsets of a region along each axis."""
        return self.part_size or self.pooled_size

    def input_shapes(self, data, rois, trans):
        """[data, rois, and trans if there is one], completed."""
        for name in ("output_dim", "group_size", "pooled_size", "sample_per_part"):
            if getattr(self, name) < 1:
                raise self.shape_clash(f"{name}={getattr(self, name)} must be 1 or more")
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

    def bins(self, data, rois, trans):
        """(Bin, (height, width) of its region) for all bins of regions of pictures that exist."""
        p, classes = self.pooled_size, 1 if self.no_trans else trans.shape[1] // 2
        each = self.output_dim // classes
        for number, region in enumerate(wide(rois)):
            if not 0 <= region[0] < len(data):
                continue
            start, size = self.extent(region)
            for kind, i, j in np.ndindex(classes, p, p):
                out = slice(kind * each, (kind + 1) * each)
                part = number, kind, i * self.parts // p, j * self.parts // p
                yield Bin((number, out, i, j), (int(region[0]), self.channels(i, j)[out]), part,
                          self.samples((i, j), start, size, self.moves(trans, part)), data.shape[2:]), size

    def extent(self, region):
        """((top, left), (height, width)) of a region in elements of data."""
        real = region.dtype.type
        left, top, right, bottom = rounded(region[1:])
        scale, half = real(self.spatial_scale), real(0.5)
        return ((top * scale - half, left * scale - half),
                [max((end + 1) * scale - start * scale, real(0.1)) for start, end in ((top, bottom), (left, right))])

    def moves(self, trans, part):
        """How far a bin is moved down and to the right, in sizes of the region."""
        if self.no_trans:
            return 0, 0
        number, kind, i, j = part
        x, y = wide(trans)[number, 2 * kind:2 * kind + 2, i, j] * wide(trans).dtype.type(self.trans_std)
        return y, x

    def samples(self, bin, start, size, moves):
        """(y, x) of the samples of a bin, each with as many elements."""
        real, n = type(size[0]), self.sample_per_part
        y, x = (first + place * (length / real(self.pooled_size)) + move * length
                + np.arange(n, dtype=real) * (length / real(self.pooled_size) / real(n))
                for first, place, length, move in zip(start, bin, size, moves, strict=True))
        return np.repeat(y, n), np.tile(x, n)

    def channels(self, i, j):
        """The channels of data that bin (i, j) looks at, one for each of the result."""
        g, p = self.group_size, self.pooled_size
        return (np.arange(self.output_dim) * g + i * g // p) * g + j * g // p


@register("data", "rois", "trans")
class _contrib_DeformablePSROIPooling(Moved):
    """Each region divided into bins, each bin moved by an offset, and of each the mean of bilinear samples.

    data (N, output_dim · g², H, W), g = group_size | rois (R, 5): the picture's number, xmin, ymin, xmax, ymax in
    units of 1 / spatial_scale, rounded, which belong to the region | trans (R, 2 · classes, q, q), q = part_size or
    pooled_size: to the right, then down, in sizes of the region / trans_std; absent with no_trans=True |
    out (R, output_dim, p, p), p = pooled_size

    Bin (i, j) of channel c looks at channel (c · g + i · g // p) · g + j · g // p, and is moved by the offset of class
    c · classes // output_dim at (i · q // p, j · q // p). Of its sample_per_part² samples those count that lie at most
    half an element outside of data; a bin without any is 0, as is a region of no picture (-1).
    arXiv:1703.06211
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
        planes = wide(data).reshape(*data.shape[:2], -1)
        out = np.zeros((len(rois), self.output_dim, self.pooled_size, self.pooled_size), data.dtype)
        for bin, _ in self.bins(data, rois, trans) if data.size else ():
            out[bin.out] = bin.points.of(planes[bin.planes]).sum(-1) / planes.dtype.type(bin.count)
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        grads = [lambda: F._deformable_ps_roi_data_grad(out_grads[0], *inputs, **self.attributes), None]
        if not self.no_trans:
            grads.append(lambda: F._deformable_ps_roi_trans_grad(out_grads[0], *inputs, **self.attributes))
        return grads


@register("grad", "data", "rois", "trans")
class _deformable_ps_roi_data_grad(_contrib_DeformablePSROIPooling):
    """The gradient with respect to data: each sample's share to the four elements around it."""

    models = ("data",)

    def infer_shape(self, grad, data, rois, *trans):
        return [grad, *self.input_shapes(data, rois, trans)], [data]

    def forward(self, grad, data, rois, trans=None):
        out = np.zeros((*data.shape[:2], data.shape[2] * data.shape[3]), wide(grad).dtype)
        for bin, _ in self.bins(data, rois, trans) if data.size else ():
            share = wide(grad)[bin.out][:, None] / out.dtype.type(bin.count)
            out[bin.planes] += bin.points.spread(np.repeat(share, bin.there.size, 1))
        return out.reshape(data.shape).astype(grad.dtype)

    gradient = Op.gradient


@register("grad", "data", "rois", "trans")
class _deformable_ps_roi_trans_grad(_contrib_DeformablePSROIPooling):
    """The gradient with respect to trans: slopes of data at the samples, summed over the channels of a class."""

    def infer_shape(self, grad, data, rois, trans):
        return [grad, *self.input_shapes(data, rois, [trans])], [trans]

    def forward(self, grad, data, rois, trans):
        planes, out = wide(data).reshape(*data.shape[:2], -1), np.zeros(trans.shape, wide(grad).dtype)
        for bin, size in self.bins(data, rois, trans) if data.size else ():
            number, kind, i, j = bin.trans
            share = wide(grad)[bin.out][:, None] * out.dtype.type(self.trans_std) / out.dtype.type(bin.count)
            slopes = bin.points.slopes(planes[bin.planes])
            for axis, (slope, counts, length) in enumerate(zip(slopes, bin.slants, size, strict=True)):
                out[number, 2 * kind + 1 - axis, i, j] += (share * np.where(counts, slope, 0)).sum() * length
        return out.astype(grad.dtype)

    gradient = Op.gradient
