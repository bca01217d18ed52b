"""Operators that repeat an array along axes of length 1, and their adjoint, a sum."""

import numpy as np

from ..fields import Shape
from ..numeric import sum_along
from ..op import Op
from ..registry import register
from ..shapes import broadcast, is_known

__all__ = ["broadcast_axis", "broadcast_like", "broadcast_to"]


@register("data", "like")
class _sum_like(Op):
    """`data` summed over the axes that broadcasting stretched, which gives it the shape of `like`."""

    keeps = ("shapes",)
    shape_only = ("like",)
    in_place = ("data",)

    def infer_shape(self, data, like):
        if is_known(data) and is_known(like) and broadcast(like, data) != data:
            raise self.shape_clash(f"data {data} is not what like {like} is broadcast to", "data")
        return [data, like], [like]

    def forward(self, data, like):
        if data.shape == like.shape:
            return data
        extra = data.ndim - like.ndim
        stretched = [extra + i for i, n in enumerate(like.shape) if n == 1 and data.shape[extra + i] != 1]
        return sum_along(data, (*range(extra), *stretched), data.dtype, keepdims=True).reshape(like.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._stretch_like(out_grads[0], inputs[0]), None]


@register("data", "like")
class _stretch_like(Op):
    """`data` broadcast to the shape of `like`: the adjoint of _sum_like."""

    keeps = ("shapes",)
    shape_only = ("like",)

    def infer_shape(self, data, like):
        if is_known(data) and is_known(like) and broadcast(data, like) != like:
            raise self.shape_clash(f"data {data} cannot be broadcast to {like}", "data")
        return [data, like], [like]

    def forward(self, data, like):
        return data if data.shape == like.shape else np.broadcast_to(data, like.shape).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._sum_like(out_grads[0], inputs[0]), None]


class Stretch(Op):
    """Base class of operators on one array whose output shape is given by `target`. Their gradient is a sum."""

    keeps = ("shapes",)

    def target(self, data):
        """Returns the shape of the result."""
        raise NotImplementedError

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        out = self.target(data)
        if is_known(data) and broadcast(data, out) != out:
            raise self.shape_clash(f"data {data} cannot be broadcast to {out}: only axes of length 1 can be stretched",
                                   "data")
        return [data], [out]

    def forward(self, data):
        return np.broadcast_to(data, self.target(data.shape)).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return F._sum_like(out_grads[0], inputs[0])


@register("data")
class broadcast_to(Stretch):
    """data with axes of length 1 stretched. New axes may be added in front.

    data (1 or d, ...) | out (*shape)

    shape: the shape of the result; 0 leaves an axis unchanged.

    >>> nd.broadcast_to(nd.array([[1], [2]]), shape=(2, 3)).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

    shape: Shape = ()

    def target(self, data):
        lead = len(self.shape) - len(data)
        if lead < 0 or 0 in self.shape[:lead]:
            raise self.shape_clash(f"data {data} cannot be broadcast to shape={self.shape}", "data")
        return (*self.shape[:lead], *[n or d for n, d in zip(self.shape[lead:], data, strict=True)])


@register("data", aliases=["broadcast_axes"])
class broadcast_axis(Stretch):
    """data with the axes in `axis`, which have length 1, stretched to the lengths in `size`.

    data (any shape) | out: data's shape with these lengths

    axis: the axes, each of length 1.
    size: their new lengths.

    >>> nd.broadcast_axis(nd.array([[1], [2]]), axis=1, size=3).asnumpy()
    array([[1., 1., 1.],
           [2., 2., 2.]], dtype=float32)
    """

    axis: Shape = ()
    size: Shape = ()

    def target(self, data):
        if len(self.axis) != len(self.size):
            raise self.shape_clash(f"axis={self.axis} and size={self.size} have different lengths")
        out = list(data)
        for axis, n in zip(self.axis, self.size, strict=True):
            out[self.normalize_axis(axis, len(data))] = n
        return tuple(out)


@register("lhs", "rhs")
class broadcast_like(Op):
    """lhs with axes of length 1 stretched to the shape of rhs.

    lhs (1 or d, ...) | rhs (d, ...) | out: the shape of lhs with these axes as in rhs

    lhs_axes, rhs_axes: the axes of lhs to stretch, and the axes of rhs with the new lengths; None for all.

    >>> nd.broadcast_like(nd.array([[1], [2]]), nd.zeros((2, 3))).shape
    (2, 3)
    """

    shape_only = ("rhs",)

    lhs_axes: Shape | None = None
    rhs_axes: Shape | None = None
    keeps = ("shapes",)

    def infer_shape(self, lhs, rhs):
        if lhs is None or rhs is None:
            return [lhs, rhs], [None]
        out = rhs if self.lhs_axes is None and self.rhs_axes is None else self._picked(lhs, rhs)
        if is_known(lhs) and is_known(out) and broadcast(lhs, out) != out:
            raise self.shape_clash(f"lhs {lhs} cannot be broadcast to {out}", "lhs")
        return [lhs, rhs], [out]

    def _picked(self, lhs, rhs):
        if not self.lhs_axes or not self.rhs_axes or len(self.lhs_axes) != len(self.rhs_axes):
            raise self.shape_clash(f"lhs_axes={self.lhs_axes} and rhs_axes={self.rhs_axes} must name as many axes, "
                                   "and at least one")
        out = list(lhs)
        for a, b in zip(self.lhs_axes, self.rhs_axes, strict=True):
            out[self.normalize_axis(a, len(lhs))] = rhs[self.normalize_axis(b, len(rhs))]
        return tuple(out)

    def infer_dtype(self, lhs, rhs):
        return [lhs, rhs], [lhs]

    def forward(self, lhs, rhs):
        return np.broadcast_to(lhs, self.infer_shape(lhs.shape, rhs.shape)[1][0]).copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._sum_like(out_grads[0], inputs[0]), None]
