"""Operators that give the same elements another shape or order."""

import math

import numpy as np

from ..families import View
from ..fields import Shape
from ..op import Op
from ..registry import register
from ..shapes import is_known, size_of

__all__ = ["Flatten", "Reshape", "SwapAxis", "depth_to_space", "expand_dims", "reshape_like", "reverse",
           "space_to_depth", "squeeze", "transpose"]


@register("data", aliases=["reshape"])
class Reshape(View):
    """The same elements in another shape.

    shape: the lengths of the result; 0 copies a dimension of data, -1 is computed from the rest, -2 copies all that
        remain, -3 joins two, -4 splits one into the two numbers that follow (one of them may be -1).
    reverse: True reads these codes from the right, so that the two numbers of a split stand before its -4.
    target_shape: an older form of `shape`, in which 0 is computed from the rest.
    keep_highest: True keeps data's first dimension, whatever stands first in `target_shape`.

    >>> nd.reshape(nd.arange(6), shape=(2, -1)).asnumpy()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    >>> nd.reshape(nd.zeros((2, 3, 4)), shape=(-3, 0)).shape
    (6, 4)
    """

    shape: Shape = ()
    reverse: bool = False
    target_shape: Shape = ()
    keep_highest: bool = False
    keeps = ("shapes",)

    def infer_shape(self, data):
        if not is_known(data):
            return [data], [None]
        codes = self.shape
        if self.target_shape and not codes:
            codes = (data[0], *self.target_shape[1:]) if self.keep_highest else self.target_shape
            codes = tuple(-1 if c == 0 else c for c in codes)
        out = self._decode(data[::-1], codes[::-1])[::-1] if self.reverse else self._decode(data, codes)
        if size_of(out) != size_of(data):
            raise self.shape_clash(f"data {data} has {size_of(data)} elements, but shape={self.shape} asks for {out}, "
                                   f"which has {size_of(out)}", "data")
        return [data], [out]

    def infer_inputs(self, shapes, outputs):
        """One length that data lacks follows from the number of elements."""
        data, out = shapes[0], outputs[0]
        if data is None or data.count(None) != 1 or not is_known(out):
            return shapes
        rest = math.prod(n for n in data if n is not None)
        if not rest or size_of(out) % rest:
            return shapes
        return [tuple([size_of(out) // rest if n is None else n for n in data])]

    def _decode(self, source, codes):
        """The target shape. `source` is consumed from the left, in step with `codes`."""
        out, taken, codes = [], 0, list(codes)
        while codes:
            code = codes.pop(0)
            if code in (0, -3, -4) and taken + (code == -3) >= len(source):
                raise self.shape_clash(f"shape={self.shape} refers to more dimensions than data {source} has", "data")
            if code == -2:
                out += source[taken:]
                taken = len(source)
            elif code == -3:
                out.append(source[taken] * source[taken + 1])
                taken += 2
            elif code == -4:
                if len(codes) < 2:
                    raise self.shape_clash(f"shape={self.shape} has a -4 without the two numbers that belong to it")
                out += self._split(source[taken], codes.pop(0), codes.pop(0))
                taken += 1
            else:
                out.append(source[taken] if code == 0 else code)
                taken += 1
        return self._fill(source, out)

    def _split(self, whole, first, second):
        parts = [whole // abs(second) if first == -1 and second else first,
                 whole // abs(first) if second == -1 and first else second]
        if parts[0] * parts[1] != whole:
            raise self.shape_clash(f"shape={self.shape} cannot split {whole} into {first} x {second}", "data")
        return parts

    def _fill(self, source, out):
        if out.count(-1) > 1:
            raise self.shape_clash(f"shape={self.shape} has more than one -1")
        if -1 in out:
            rest = math.prod(n for n in out if n != -1)
            out[out.index(-1)] = size_of(source) // rest if rest else 0
        return tuple(out)

    def forward(self, data):
        return data.reshape(self.infer_shape(data.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("lhs", "rhs")
class reshape_like(View):
    """The elements of lhs in the shape of rhs; or with only some axes of lhs in the shape of some axes of rhs.

    lhs_begin, lhs_end: the axes lhs_begin:lhs_end of lhs are replaced, all by default.
    rhs_begin, rhs_end: ... by the axes rhs_begin:rhs_end of rhs, all by default.

    >>> nd.reshape_like(nd.arange(4), nd.zeros((2, 2))).asnumpy()
    array([[0., 1.],
           [2., 3.]], dtype=float32)
    """

    shape_only = ("rhs",)

    lhs_begin: int | None = None
    lhs_end: int | None = None
    rhs_begin: int | None = None
    rhs_end: int | None = None
    keeps = ("shapes",)

    def infer_shape(self, lhs, rhs):
        if not (is_known(lhs) and is_known(rhs)):
            return [lhs, rhs], [None]
        left, right = slice(self.lhs_begin, self.lhs_end), slice(self.rhs_begin, self.rhs_end)
        a, b, _ = left.indices(len(lhs))
        out = lhs[:a] + rhs[right] + lhs[max(a, b):]
        if size_of(out) != size_of(lhs):
            raise self.shape_clash(f"lhs {lhs} has {size_of(lhs)} elements, but the result {out} has {size_of(out)}")
        return [lhs, rhs], [out]

    def infer_dtype(self, lhs, rhs):
        return [lhs, rhs], [lhs]

    def forward(self, lhs, rhs):
        return lhs.reshape(self.infer_shape(lhs.shape, rhs.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.reshape_like(out_grads[0], inputs[0]), None]


@register("data", aliases=["flatten"])
class Flatten(View):
    """All axes but the first as one. data (N, *rest) | out (N, product of rest)

    >>> nd.flatten(nd.array([[[1, 2], [3, 4]]])).asnumpy()
    array([[1., 2., 3., 4.]], dtype=float32)
    """

    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        rest = data[1:]
        return [data], [(data[0], None if None in rest else size_of(rest))]

    def forward(self, data):
        return data.reshape(data.shape[0], size_of(data.shape[1:])).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


LARGE = 2 ** 16         # elements, from where on a transpose goes in blocks
STRIP = 16              # columns that are copied at a time: each step down one reads another line of the cache


def fill_moved(out, moved):
    """Copy a view whose axes have changed places.

    Each step along the last axis may read another line of the cache. In a large array a few lines at a time stay
    there until all of their elements are taken.
    """
    if moved.size < LARGE or moved.shape[-1] < STRIP or moved.strides[-1] < STRIP * moved.itemsize:
        out[...] = moved
    else:
        for start in range(0, moved.shape[-1], STRIP):
            out[..., start:start + STRIP] = moved[..., start:start + STRIP]
    return out


@register("data")
class transpose(Op):
    """The axes in another order: axis i of the result is axis axes[i] of data.

    axes: the order, () for the reverse of data's.

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
        moved = data.transpose(self.order(data.ndim))
        return fill_moved(np.empty(moved.shape, data.dtype), moved)

    def gradient(self, F, out_grads, inputs, outputs):
        inverse = tuple(int(a) for a in np.argsort([a % len(self.axes) for a in self.axes]))
        return F.transpose(out_grads[0], axes=inverse)


@register("data", aliases=["swapaxes"])
class SwapAxis(Op):
    """Axes dim1 and dim2 change places.

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


@register("data")
class expand_dims(View):
    """A new axis of length 1.

    axis: where it is in the result; -1 puts it at the end.

    >>> nd.expand_dims(nd.array([1, 2]), axis=1).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """

    axis: int
    keeps = ()

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        axis = self.normalize_axis(self.axis, len(data) + 1)
        return [data], [(*data[:axis], 1, *data[axis:])]

    def infer_inputs(self, shapes, outputs):
        out = outputs[0]
        if out is None:
            return shapes
        axis = self.normalize_axis(self.axis, len(out))
        return [self.require("data", shapes[0], out[:axis] + out[axis + 1:])]

    def forward(self, data):
        return np.expand_dims(data, self.axis).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.squeeze(out_grads[0], axis=self.axis)


@register("data", aliases=["_npx_squeeze"])
class squeeze(View):
    """Without axes of length 1; at least (1,) remains.

    axis: the axes to leave out, which must have length 1; None for all that have.

    >>> nd.squeeze(nd.zeros((2, 1, 3, 1))).shape
    (2, 3)
    >>> nd.squeeze(nd.zeros((2, 1, 3, 1)), axis=1).shape
    (2, 3, 1)
    """

    axis: Shape | None = None
    keeps = ("shapes",)

    def infer_shape(self, data):
        if data is None or (self.axis is None and None in data):
            return [data], [None]
        if self.axis is None:
            return [data], [tuple(n for n in data if n != 1) or (1,)]
        axes = {self.normalize_axis(a, len(data)) for a in self.axis}
        for axis in sorted(axes):
            if data[axis] not in (1, None):
                raise self.shape_clash(f"axis {axis} of data {data} has length {data[axis]}; only an axis of length 1 "
                                       "can be left out", "data")
        return [data], [tuple(n for i, n in enumerate(data) if i not in axes) or (1,)]

    def forward(self, data):
        return data.reshape(self.infer_shape(data.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F.reshape_like(out_grads[0], inputs[0])


@register("data", aliases=["flip"])
class reverse(Op):
    """The elements in reverse order along each of the axes `axis`.

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
    """What the two operators share that move blocks between the channel axis and the plane."""

    block_size: int
    keeps = ()

    def check(self, data):
        self.require_rank("data", data, 4)
        if self.block_size < 1:
            raise self.shape_clash(f"block_size={self.block_size} must be at least 1")

    def divide(self, data, axis, by):
        """data[axis] / by, which must be whole."""
        if data[axis] is not None and data[axis] % by:
            raise self.shape_clash(f"axis {axis} of data {data} is not a multiple of {by} (block_size="
                                   f"{self.block_size})", "data")
        return data[axis] and data[axis] // by

    def times(self, n):
        return n and n * self.block_size


@register("data")
class depth_to_space(_Blocks):
    """Channels spread over the plane in blocks. data (N, b² · C, H, W) | out (N, C, b · H, b · W), b = block_size

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
    """Blocks of the plane stacked as channels. data (N, C, b · H, b · W) | out (N, b² · C, H, W), b = block_size

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
