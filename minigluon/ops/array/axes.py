"""Operators that move elements: they permute or reverse axes, or move blocks between the channels and the plane."""

import numpy as np

from ..fields import Shape
from ..op import Op
from ..registry import register

__all__ = ["SwapAxis", "depth_to_space", "fill_moved", "reverse", "space_to_depth", "transpose"]


LARGE = 2 ** 16         # arrays of at least this many elements are transposed in blocks
STRIP = 16              # the number of columns copied at a time; each step down a column reads a different cache line


def fill_moved(out, moved):
    """Copies a view whose axes have been permuted.

    Each step along the last axis may read a different cache line. A large array is copied in strips, so that
    a line stays in the cache until all of its elements are copied.
    """
    if moved.size < LARGE or moved.shape[-1] < STRIP or moved.strides[-1] < STRIP * moved.itemsize:
        out[...] = moved
    else:
        for start in range(0, moved.shape[-1], STRIP):
            out[..., start:start + STRIP] = moved[..., start:start + STRIP]
    return out


@register("data")
class transpose(Op):
    """The axes in a different order: axis i of the result is axis axes[i] of data.

    data (d0 … dN) | out (d[axes[0]] … d[axes[N]])

    axes: the order; () reverses the axes.

    >>> nd.transpose(nd.array([[1, 2, 3], [4, 5, 6]])).asnumpy()
    array([[1., 4.],
           [2., 5.],
           [3., 6.]], dtype=float32)
    >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(0, 2, 1)).shape
    (2, 4, 3)
    """

    axes: Shape = ()
    keeps = ()

    def order(self, ndim):
        if self.axes and sorted(a % ndim if -ndim <= a < ndim else a for a in self.axes) != list(range(ndim)):
            raise self.shape_clash(f"axes={self.axes} is not an order of the {ndim} axes of data")
        return tuple(a % ndim for a in self.axes) or tuple(reversed(range(ndim)))

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        return [data], [tuple(data[a] for a in self.order(len(data)))]

    def infer_inputs(self, shapes, outputs):
        if outputs[0] is None:
            return shapes
        lengths = dict(zip(self.order(len(outputs[0])), outputs[0], strict=True))
        return [self.require("data", shapes[0], tuple([lengths[a] for a in range(len(lengths))]))]

    def forward(self, data):
        moved = data.transpose(self.axes or None)
        return fill_moved(np.empty(moved.shape, data.dtype), moved)

    def gradient(self, F, out_grads, inputs, outputs):
        inverse = tuple(int(a) for a in np.argsort([a % len(self.axes) for a in self.axes]))
        return F.transpose(out_grads[0], axes=inverse)


@register("data", aliases=["swapaxes"])
class SwapAxis(Op):
    """Exchanges the axes dim1 and dim2.

    data (any shape) | out: data's shape with the two lengths exchanged

    dim1, dim2: the two axes; negative numbers count from the end.

    >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
    (4, 3, 2)
    """

    dim1: int = 0
    dim2: int = 0
    keeps = ()

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        out = list(data)
        a, b = (self.normalize_axis(d, len(data)) for d in (self.dim1, self.dim2))
        out[a], out[b] = out[b], out[a]
        return [data], [tuple(out)]

    def forward(self, data):
        return data.swapaxes(self.dim1, self.dim2).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.SwapAxis(out_grads[0], dim1=self.dim1, dim2=self.dim2)


@register("data", aliases=["flip"])
class reverse(Op):
    """The elements in reverse order along each axis in `axis`.

    data (any shape) | out like data

    axis: one axis or several; negative numbers count from the end.

    >>> nd.flip(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
    array([[3., 2., 1.],
           [6., 5., 4.]], dtype=float32)
    """

    axis: Shape
    keeps = ()

    def infer_shape(self, data):
        if data is not None and len({self.normalize_axis(a, len(data)) for a in self.axis}) < len(self.axis):
            raise self.shape_clash(f"axis={self.axis} names an axis of {len(data)} dimensions twice")
        return [data], [data]

    def infer_inputs(self, shapes, outputs):
        return [self.require("data", shapes[0], outputs[0])]

    def forward(self, data):
        return np.flip(data, self.axis).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reverse(out_grads[0], axis=self.axis)


class _Blocks(Op):
    """Base class of the two operators that move blocks between the channel axis and the plane.

    block_size: b, the height and width of a block.
    """

    block_size: int
    keeps = ()

    def check(self, data):
        self.require_rank("data", data, 4)
        if self.block_size < 1:
            raise self.shape_clash(f"block_size={self.block_size} must be at least 1")

    def divide(self, data, axis, by):
        """Returns data[axis] / by, which must be an integer."""
        if data[axis] is not None and data[axis] % by:
            raise self.shape_clash(f"axis {axis} of data {data} is not a multiple of {by} (block_size="
                                   f"{self.block_size})", "data")
        return data[axis] and data[axis] // by

    def times(self, n):
        return n and n * self.block_size


@register("data")
class depth_to_space(_Blocks):
    """Channels spread over the plane in blocks of b · b, with b = block_size.

    data (N, b² · C, H, W) | out (N, C, b · H, b · W)

    >>> nd.depth_to_space(nd.array([1, 2, 3, 4]).reshape((1, 4, 1, 1)), block_size=2).asnumpy()
    array([[[[1., 2.],
             [3., 4.]]]], dtype=float32)
    """

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        self.check(data)
        n, _, h, w = data
        return [data], [(n, self.divide(data, 1, self.block_size ** 2), self.times(h), self.times(w))]

    def forward(self, data):
        (n, c, h, w), b = data.shape, self.block_size
        blocks = data.reshape(n, b, b, c // b ** 2, h, w)
        return blocks.transpose(0, 3, 4, 1, 5, 2).reshape(n, c // b ** 2, h * b, w * b).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.space_to_depth(out_grads[0], block_size=self.block_size)


@register("data")
class space_to_depth(_Blocks):
    """Blocks of b · b elements of the plane stacked as channels, with b = block_size.

    data (N, C, b · H, b · W) | out (N, b² · C, H, W)

    >>> nd.space_to_depth(nd.arange(4).reshape((1, 1, 2, 2)), block_size=2).shape
    (1, 4, 1, 1)
    """

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        self.check(data)
        n, c = data[:2]
        h, w = (self.divide(data, axis, self.block_size) for axis in (2, 3))
        return [data], [(n, c and c * self.block_size ** 2, h, w)]

    def forward(self, data):
        (n, c, h, w), b = data.shape, self.block_size
        blocks = data.reshape(n, c, h // b, b, w // b, b)
        return blocks.transpose(0, 3, 5, 1, 2, 4).reshape(n, c * b * b, h // b, w // b).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.depth_to_space(out_grads[0], block_size=self.block_size)
