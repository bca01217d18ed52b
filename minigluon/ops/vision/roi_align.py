"""Pooling of upright or rotated regions of interest to a common size by interpolation."""

import math

import numpy as np

from ..fields import Shape
from ..linear import Linear, linear
from .boxes import wide
from .interpolation import Points, inside

__all__ = ["RegionOp", "require_few_samples"]

MAX_SAMPLES = 1024      # the maximum per axis of a bin: the work grows with its square, regardless of the inputs' sizes


def require_few_samples(op, name):
    """Raises ShapeError if the number of samples is so large that computing them would practically never end."""
    if getattr(op, name, 0) > MAX_SAMPLES:
        raise op.shape_clash(f"{name}={getattr(op, name)} samples of a bin along each axis, expected at most "
                             f"{MAX_SAMPLES}")


class RegionOp(Linear):
    """Base class of operators on data (N, C, H, W) and rois (R, columns), with one result per region.

    The first number of a region is the index of its image. The result is linear in data; rois have no gradient.

    pooled_size: (h, w), the number of bins in a region along each axis.
    spatial_scale: the number of data elements per unit in rois.
    """

    keeps = ("inputs",)
    columns = 5

    def infer_shape(self, data, rois):
        self.require_rank("data", data, 4)
        rois = self.require("rois", rois, (None, self.columns))
        self.check_attributes()
        channels = None if data is None else self.channels(data[1])
        return [data, rois], [(rois[0], channels, *self.pooled)]

    def check_attributes(self):
        """Raises ShapeError for attributes that are invalid for any data."""
        if len(self.pooled) != 2 or min(self.pooled) < 1:
            raise self.shape_clash(f"pooled_size={self.pooled_size} must be two positive numbers")

    @property
    def pooled(self):
        """Returns the height and width of a result."""
        return self.pooled_size

    def channels(self, count):
        """Returns the number of channels in the result, given the number in data, which may be unknown."""
        return count

    def infer_dtype(self, data, rois):
        for name, dtype in (("data", data), ("rois", rois)):
            self.require_float(name, dtype)
        return super().infer_dtype(data, rois)

    def regions(self, rois, images):
        """Yields (index, image, the region's other numbers) for each region that has an image."""
        for number, region in enumerate(wide(rois)):
            if 0 <= region[0] < images:
                yield number, int(region[0]), region[1:]


class AlignedRegionOp(RegionOp):
    """Base class of operators that average interpolated samples; subclasses choose the points."""

    def check_attributes(self):
        super().check_attributes()
        for name in ("sample_ratio", "sampling_ratio"):
            require_few_samples(self, name)

    def samples(self, region, space):
        """Returns the Points of one region in planes of shape `space`: P = (pooled h, pooled w, samples per bin)."""
        raise NotImplementedError

    def forward(self, data, rois):
        n, c, h, w = data.shape
        planes, out = wide(data).reshape(n, c, h * w), np.zeros((len(rois), c, *self.pooled), data.dtype)
        for number, image, region in self.regions(rois, n) if h * w else ():
            values = self.samples(region, (h, w)).of(planes[image])
            out[number] = values.sum(-1) / values.dtype.type(max(values.shape[-1], 1))
        return self.chosen(out)

    def adjoint(self, grad, data, rois):
        n, c, h, w = data.shape
        out, grad = np.zeros((n, c, h * w), wide(grad).dtype), self.unchosen(wide(grad), c)
        for number, image, region in self.regions(rois, n) if h * w else ():
            points = self.samples(region, (h, w))
            count = points.index.shape[-1]
            shared = np.repeat(grad[number][..., None] / grad.dtype.type(max(count, 1)), count, -1)
            out[image] += points.spread(shared)
        return out.reshape(data.shape).astype(grad.dtype if data.dtype != np.float16 else np.float16)

    def chosen(self, out):
        """Selects the result from regions that are pooled over all channels."""
        return out

    def unchosen(self, grad, channels):
        """Computes the adjoint of `chosen`."""
        return grad

    def grid(self, height, width, ratio):
        """Returns the number of samples in a bin along each axis: `ratio`, or the number of elements in the bin."""
        if ratio > 0:
            return ratio, ratio
        return tuple(max(math.ceil(length / bins), 0) for length, bins in zip((height, width), self.pooled,
                                                                              strict=True))


@linear("data", "rois")
class _contrib_ROIAlign(AlignedRegionOp):
    """Divides each region into bins and returns the mean of bilinear samples in each bin.

    data (N, C, H, W) | rois (R, 5): the image's index, xmin, ymin, xmax, ymax in units of 1 / spatial_scale; for a
    region without an image (-1), the result is zeros | out (R, C, h, w)

    sample_ratio: the number of samples in a bin along each axis; if not positive, the bin's size, rounded up.
    position_sensitive: if True, data has C · h · w channels, and bin (i, j) of channel c reads (c · h + i) · w + j.
    aligned: if True, place the center of element (0, 0) at (0.5, 0.5), and do not enlarge small regions to a size of 1.

    Source: He, Gkioxari, Dollár and Girshick 2017, Mask R-CNN, arXiv:1703.06870.

    >>> data, rois = nd.array([[[[0, 2, 4], [0, 2, 4]]]]), nd.array([[0, 0, 0, 2, 1]])
    >>> print(nd.contrib.ROIAlign(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy())
    [[[[1. 3.]]]]
    """

    pooled_size: Shape
    spatial_scale: float
    sample_ratio: int = -1
    position_sensitive: bool = False
    aligned: bool = False

    def channels(self, count):
        bins = math.prod(self.pooled) if self.position_sensitive else 1
        if count is not None and count % bins:
            raise self.shape_clash(f"data has {count} channels, expected a multiple of {bins}, one for each bin of "
                                   f"pooled_size={self.pooled_size}", "data")
        return None if count is None else count // bins

    def samples(self, region, space):
        real, (bins_y, bins_x) = region.dtype.type, self.pooled
        left, top, right, bottom = region * real(self.spatial_scale) - real(0.5 if self.aligned else 0)
        height, width = bottom - top, right - left
        if not self.aligned:
            height, width = max(height, real(1)), max(width, real(1))
        counts = self.grid(height, width, self.sample_ratio)
        y, x = (start + (np.arange(bins, dtype=real)[:, None] + (np.arange(count, dtype=real) + real(0.5))
                         / real(max(count, 1))) * (length / real(bins))
                for start, length, bins, count in zip((top, left), (height, width), (bins_y, bins_x), counts,
                                                      strict=True))
        y, x = np.broadcast_arrays(y[:, None, :, None], x[None, :, None, :])
        shape = bins_y, bins_x, counts[0] * counts[1]
        return Points(*[inside(at.reshape(shape), length) for at, length in zip((y, x), space, strict=True)], *space)

    def chosen(self, out):
        if not self.position_sensitive:
            return out
        h, w = self.pooled
        i, j = np.indices((h, w))
        return np.ascontiguousarray(out.reshape(len(out), out.shape[1] // (h * w), h, w, h, w)[:, :, i, j, i, j])

    def unchosen(self, grad, channels):
        if not self.position_sensitive:
            return grad
        h, w = self.pooled
        i, j = np.indices((h, w))
        out = np.zeros((len(grad), grad.shape[1], h, w, h, w), grad.dtype)
        out[:, :, i, j, i, j] = grad
        return out.reshape(len(grad), channels, h, w)


@linear("data", "rois")
class _contrib_RROIAlign(AlignedRegionOp):
    """Like ROIAlign, for rotated regions.

    data (N, C, H, W) | rois (R, 6): the image's index, the center (x, y), width, height, the angle in degrees
    counterclockwise | out (R, C, h, w)

    sampling_ratio: the number of samples in a bin along each axis; if not positive, the bin's size, rounded up.

    Source: Ma et al. 2018, Arbitrary-oriented scene text detection via rotation proposals, IEEE Transactions on
    Multimedia 20.

    >>> data, rois = nd.array([[[[0, 2, 4], [0, 2, 4]]]]), nd.array([[0, 1, 0.5, 2, 1, 180]])
    >>> print(nd.contrib.RROIAlign(data, rois, pooled_size=(1, 2), spatial_scale=1).asnumpy().round(3))
    [[[[3. 1.]]]]
    """

    columns = 6
    pooled_size: Shape
    spatial_scale: float
    sampling_ratio: int = -1

    def samples(self, region, space):
        real, (bins_y, bins_x) = region.dtype.type, self.pooled
        middle_x, middle_y, width, height = region[:4] * real(self.spatial_scale)
        height, width, angle = max(height, real(1)), max(width, real(1)), region[4] * real(math.pi / 180)
        counts = self.grid(height, width, self.sampling_ratio)
        y, x = ((np.arange(bins, dtype=real)[:, None] + (np.arange(count, dtype=real) + real(0.5))
                 / real(max(count, 1))) * (length / real(bins)) - length / real(2)
                for length, bins, count in zip((height, width), (bins_y, bins_x), counts, strict=True))
        y, x = y[:, None, :, None], x[None, :, None, :]
        cosine, sine, shape = np.cos(angle), np.sin(angle), (bins_y, bins_x, counts[0] * counts[1])
        turned_y, turned_x = y * cosine - x * sine + middle_y, x * cosine + y * sine + middle_x
        return Points(*[inside(at.reshape(shape), length) for at, length in zip((turned_y, turned_x), space,
                                                                                strict=True)], *space)
