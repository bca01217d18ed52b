"""Correlation: compares patches of one image with nearby patches of another image."""

import numpy as np

from ..registry import register
from ..vision.boxes import wide
from ..vision.spatial import FloatOp

__all__ = []


@register("data1", "data2")
class Correlation(FloatOp):
    """For each position and displacement, the mean product of two patches, one from each image.

    data1, data2 (N, C, H, W) | out (N, D², h, w), D = 2 · ⌊max_displacement / stride2⌋ + 1

    The mean is taken over the patch and the channels. The patches of data1 are far enough from the edges for every
    displacement (i · stride2, j · stride2).

    kernel_size: the height and width of a patch; odd.
    max_displacement: the largest displacement of a patch of data2 along each axis, in either direction.
    stride1: the step from one patch of data1 to the next.
    stride2: the step from one displacement to the next.
    pad_size: the number of zeros added on each side of both images.
    is_multiply: if False, take absolute differences instead of products.

    If two elements are equal, the one in data1 receives the larger one's gradient, and the one in data2 the smaller
    one's.

    Source: Dosovitskiy et al. 2015, FlowNet, arXiv:1504.06852.

    >>> data1, data2 = nd.array([[[[1, 2]]]]), nd.array([[[[3, 5]]]])
    >>> print(nd.Correlation(data1, data2, max_displacement=0).asnumpy())
    [[[[ 3. 10.]]]]
    """

    kernel_size: int = 1
    max_displacement: int = 1
    stride1: int = 1
    stride2: int = 1
    pad_size: int = 0
    is_multiply: bool = True
    keeps = ("inputs",)

    @property
    def radius(self):
        """The number of displacements on each side."""
        return self.max_displacement // self.stride2

    def infer_shape(self, data1, data2):
        self.require_rank("data1", data1, 4)
        if self.kernel_size % 2 == 0 or min(self.stride1, self.stride2, self.kernel_size) < 1 or min(
                self.max_displacement, self.pad_size) < 0:
            raise self.shape_clash(f"kernel_size={self.kernel_size} must be odd, stride1={self.stride1} and "
                                   f"stride2={self.stride2} positive, max_displacement={self.max_displacement} and "
                                   f"pad_size={self.pad_size} not negative")
        data1 = self.require("data2", data2, data1)
        if data1 is None:
            return [None, None], [None]
        space = [None if n is None else self.places(n) for n in data1[2:]]
        if any(n is not None and n < 1 for n in space):
            raise self.shape_clash(f"data1 {data1} is too small for max_displacement={self.max_displacement} and "
                                   f"kernel_size={self.kernel_size}: pad it with pad_size", "data1")
        return [data1, data1], [(data1[0], (2 * self.radius + 1) ** 2, *space)]

    def places(self, n):
        """Returns the number of patches along an axis of n elements."""
        return -(-(n + 2 * self.pad_size - 2 * (self.max_displacement + self.kernel_size // 2)) // self.stride1)

    def padded(self, data):
        """Returns data in the wider type used for computing, with pad_size zeros on each side."""
        pad = (self.pad_size, self.pad_size)
        return np.pad(wide(data), ((0, 0), (0, 0), pad, pad))

    def taps(self, space):
        """Yields (index of the displacement, slices of data1, slices of data2) per displacement and patch element."""
        reach = range(-self.radius, self.radius + 1)
        moves = [(i * self.stride2, j * self.stride2) for i in reach for j in reach]
        for number, move in enumerate(moves):
            for y, x in np.ndindex(self.kernel_size, self.kernel_size):
                yield number, *[tuple([slice(self.max_displacement + at + by * moved,
                                             self.max_displacement + at + by * moved + (n - 1) * self.stride1 + 1,
                                             self.stride1)
                                       for at, moved, n in zip((y, x), move, space, strict=True)]) for by in (0, 1)]

    def forward(self, data1, data2):
        [_, [shape]] = self.infer_shape(data1.shape, data2.shape)
        a, b = self.padded(data1), self.padded(data2)
        out = np.zeros(shape, a.dtype)
        for number, here, there in self.taps(shape[2:]):
            p, q = a[(..., *here)], b[(..., *there)]
            out[:, number] += (p * q if self.is_multiply else np.abs(p - q)).sum(1)
        return (out / out.dtype.type(max(1, self.kernel_size ** 2 * data1.shape[1]))).astype(data1.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._correlation_grad(out_grads[0], *inputs, **self.attributes)


@register("grad", "data1", "data2")
class _correlation_grad(Correlation):
    """The gradients of Correlation with respect to both images."""

    num_outputs = 2

    def infer_shape(self, grad, data1, data2):
        (data1, data2), (output,) = super().infer_shape(data1, data2)
        return [self.require("grad", grad, output), data1, data2], [data1, data2]

    def forward(self, grad, data1, data2):
        a, b = self.padded(data1), self.padded(data2)
        by_a, by_b = np.zeros_like(a), np.zeros_like(b)
        shares = wide(grad) / a.dtype.type(max(1, self.kernel_size ** 2 * data1.shape[1]))
        for number, here, there in self.taps(grad.shape[2:]):
            p, q, share = a[(..., *here)], b[(..., *there)], shares[:, number, None]
            slopes = (q, p) if self.is_multiply else _slopes(p - q)
            by_a[(..., *here)] += share * slopes[0]
            by_b[(..., *there)] += share * slopes[1]
        inner = (slice(self.pad_size, n + self.pad_size) for n in data1.shape[2:])
        inner = (slice(None), slice(None), *inner)
        return tuple([np.ascontiguousarray(x[inner], grad.dtype) for x in (by_a, by_b)])

    def gradient(self, F, out_grads, inputs, outputs):
        return FloatOp.gradient(self, F, out_grads, inputs, outputs)


def _slopes(x):
    """Returns the derivatives of |a - b| with respect to a and b, for x = a - b; NaN where x is NaN."""
    by_a = np.where(x == 0, 1, np.sign(x)).astype(x.dtype)
    return by_a, -by_a
