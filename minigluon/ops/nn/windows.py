"""im2col and col2im: the windows of a convolution as columns of a matrix, and the reverse operation, which sums them.
"""

import math

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register

__all__ = ["col2im", "im2col"]


class _Windows(Op):
    """Base class of both operators. There are as many spatial axes as `kernel` has values.

    kernel: the size of a window along each spatial axis.
    stride: the step from one window to the next along each axis; 1 by default.
    dilate: the step from one element of a window to the next along each axis; 1 by default.
    pad: the number of zeros added on both sides of each spatial axis; 0 by default.
    """

    keeps = ("shapes",)

    def settings(self):
        """Returns (kernel, stride, dilate, pad), each with one number per spatial axis."""
        n = len(self.kernel)
        for name, value, least in (("kernel", self.kernel, 1), ("stride", self.stride, 1), ("dilate", self.dilate, 1),
                                   ("pad", self.pad, 0)):
            if len(value) not in (0, n) or any(k < least for k in value):
                raise self.shape_clash(f"{name}={value} must have a number for each of the {n} axes of "
                                       f"kernel={self.kernel}, each at least {least}")
        return self.kernel, self.stride or (1,) * n, self.dilate or (1,) * n, self.pad or (0,) * n

    def counts(self, size):
        """Returns how many windows fit along each spatial axis."""
        counts = [(n + 2 * p - d * (k - 1) - 1) // s + 1 if n is not None else None
                  for n, k, s, d, p in zip(size, *self.settings(), strict=True)]
        if any(c is not None and c < 1 for c in counts):
            raise self.shape_clash(f"a kernel of {self.kernel} with dilate={self.dilate} does not fit into the plane "
                                   f"{tuple(size)} with pad={self.pad}", "data")
        return counts

    def taps(self, counts):
        """Yields (index of the tap, slices of its elements in the padded plane) for each element of the kernel."""
        kernel, stride, dilate, _ = self.settings()
        for number, tap in enumerate(np.ndindex(*kernel)):
            yield number, tuple(np.s_[t * d:t * d + s * (c - 1) + 1:s]
                                for t, d, s, c in zip(tap, dilate, stride, counts, strict=True))

    @property
    def window(self):
        return {"kernel": self.kernel, "stride": self.stride, "dilate": self.dilate, "pad": self.pad}


@register("data")
class im2col(_Windows):
    """Every window of a convolution as a column, so that the convolution becomes a matrix product.

    data (N, C, *size) | out (N, C · elements of kernel, windows)

    >>> print(nd.im2col(nd.array([[[1, 2, 3]]]), kernel=2).asnumpy())
    [[[1. 2.]
      [2. 3.]]]
    """

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        self.require_rank("data", data, len(self.kernel) + 2)
        counts = self.counts(data[2:])
        channels = data[1] and data[1] * math.prod(self.kernel)
        return [data], [(data[0], channels, None if None in counts else math.prod(counts))]

    def forward(self, data):
        counts = self.counts(data.shape[2:])
        padded = np.pad(data, [(0, 0), (0, 0), *[(p, p) for p in self.settings()[3]]])
        out = np.empty((*data.shape[:2], math.prod(self.kernel), *counts), data.dtype)
        for number, place in self.taps(counts):
            out[:, :, number] = padded[(..., *place)]
        return out.reshape(self.infer_shape(data.shape)[1][0])

    def gradient(self, F, out_grads, inputs, outputs):
        return F._im2col_grad(out_grads[0], inputs[0], **self.window)


@register("grad", "data")
class _im2col_grad(_Windows):
    """The columns summed at their positions in an array shaped like data, whose values are not used."""

    shape_only = ("data",)

    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()

    def infer_shape(self, grad, data):
        (data,), (columns,) = im2col(**self.window).infer_shape(data)
        return [self.require("grad", grad, columns), data], [data]

    def forward(self, grad, data):
        return _add_up(self, grad, data.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.im2col(out_grads[0], **self.window), None]


@register("data")
class col2im(_Windows):
    """The columns of im2col written to a plane of output_size; where windows overlap, elements are summed.

    data (N, C · elements of kernel, windows) | out (N, C, *output_size)

    output_size: the length of each spatial axis of out.

    >>> print(nd.col2im(nd.array([[[1, 2], [2, 3]]]), output_size=3, kernel=2).asnumpy())
    [[[1. 4. 3.]]]
    """

    output_size: Shape
    kernel: Shape
    stride: Shape = ()
    dilate: Shape = ()
    pad: Shape = ()
    keeps = ()

    def infer_shape(self, data):
        if len(self.output_size) != len(self.kernel):
            raise self.shape_clash(f"output_size={self.output_size} and kernel={self.kernel} must have the same length")
        if data is None:
            return [None], [None]
        windows, taps = math.prod(self.counts(self.output_size)), math.prod(self.kernel)
        data = self.require("data", data, (None, None, windows))
        if data[1] is not None and data[1] % taps:
            raise self.shape_clash(f"axis 1 of data {data} is not a multiple of the {taps} elements of "
                                   f"kernel={self.kernel}", "data")
        return [data], [(data[0], data[1] and data[1] // taps, *self.output_size)]

    def forward(self, data):
        return _add_up(self, data, self.infer_shape(data.shape)[1][0])

    def gradient(self, F, out_grads, inputs, outputs):
        return F.im2col(out_grads[0], **self.window)


def _add_up(op, columns, shape):
    """Returns the sum of the columns in an array of `shape` (N, C, *size)."""
    counts, pad = op.counts(shape[2:]), op.settings()[3]
    columns = columns.reshape(*shape[:2], math.prod(op.kernel), *counts)
    out = np.zeros((*shape[:2], *[n + 2 * p for n, p in zip(shape[2:], pad, strict=True)]), columns.dtype)
    for number, place in op.taps(counts):
        out[(..., *place)] += columns[:, :, number]
    return out[(..., *[np.s_[p:n + p] for n, p in zip(shape[2:], pad, strict=True)])].copy()
