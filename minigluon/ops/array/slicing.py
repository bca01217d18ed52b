"""Operators that read or replace a box in an array: slice and related operators."""

import builtins

import numpy as np

from ..fields import Index, Shape
from ..linear import Linear, linear
from ..op import Op
from ..registry import register

__all__ = ["Crop", "diag", "slice", "slice_axis", "slice_like", "span"]


class Box(Linear):
    """A linear operator that takes the part `data[key]`."""

    def key(self, *shapes):
        """Returns the part as a tuple of slices, for inputs of these shapes."""
        raise NotImplementedError

    def infer_shape(self, *shapes):
        if shapes[0] is None or any(s is None or None in s for s in shapes[1:]):
            return list(shapes), [None]
        key = self.key(*shapes)
        out = [None if n is None else span(k, n)[1] for n, k in zip(shapes[0], key, strict=False)]
        return list(shapes), [(*out, *shapes[0][len(key):])]

    def infer_dtype(self, data, *rest):
        return [data, *rest], [data]

    def forward(self, data, *rest):
        return data[self.key(data.shape, *[x.shape for x in rest])].copy()

    def adjoint(self, grad, data, *rest):
        out = np.zeros(data.shape, grad.dtype)
        out[self.key(data.shape, *[x.shape for x in rest])] = grad
        return out


def span(key: builtins.slice, n: int) -> tuple[int, int, int]:
    """Return (first, count, step) of the elements that a slice selects from n elements. Like `slice.indices`, but with
    arithmetic that SymbolicDims support.

    >>> span(builtins.slice(-3, None, 2), 10)
    (7, 2, 2)
    """
    step: int = 1 if key.step is None else key.step
    low, high = (0, n) if step > 0 else (-1, n - 1)

    def place(value: int | None, default: int) -> int:
        if value is None:
            return default
        if value < 0:
            return max(value + n, low)
        return min(value, high)
    start, stop = place(key.start, low if step > 0 else high), place(key.stop, high if step > 0 else low)
    distance = stop - start if step > 0 else start - stop
    return start, (distance - 1) // abs(step) + 1 if distance > 0 else 0, step


def box_key(op, shape):
    """Returns the slices for begin, end and step of an operator on an array of this shape. Raises ShapeError."""
    begin, end, step = op.begin, op.end, op.step or (None,) * len(op.begin)
    if not len(begin) == len(end) == len(step):
        raise op.shape_clash(f"begin={begin}, end={end} and step={op.step} must have the same length")
    if len(begin) > len(shape):
        raise op.shape_clash(f"begin={begin} names more axes than the {len(shape)} of {shape}")
    if 0 in step:
        raise op.shape_clash(f"step={step} must not contain 0")
    return tuple(builtins.slice(*bounds) for bounds in zip(begin, end, step, strict=True))


@linear("data", aliases=["crop"])
class slice(Box):
    """data[begin[0]:end[0]:step[0], ...], with Python's slicing rules.

    data (any shape) | out: each axis as long as its slice

    begin, end: where the slice of each axis starts and stops; None and negative values as in Python. Axes not listed
    are not sliced.
    step: the step of each axis, 1 by default; negative steps go backward.

    >>> nd.slice(nd.array([[1, 2, 3], [4, 5, 6]]), begin=(0, 1), end=(2, 3)).asnumpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """

    begin: Index
    end: Index
    step: Index = ()

    def key(self, data):
        return box_key(self, data)


@linear("data")
class slice_axis(Box):
    """The elements begin to end, exclusive, along one axis.

    data (*lead, n, *rest) | out (*lead, end - begin, *rest)

    axis: the axis of length n; negative numbers count from the end.
    begin, end: negative numbers count from the end; end=None means the end.

    >>> nd.slice_axis(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1, begin=1, end=None).asnumpy()
    array([[2., 3.],
           [5., 6.]], dtype=float32)
    """

    axis: int
    begin: int
    end: int | None

    def key(self, data):
        axis = self.normalize_axis(self.axis, len(data))
        return (builtins.slice(None),) * axis + (self.span(data, axis),)

    def span(self, data, axis):
        n = data[axis]
        if n is None:
            return builtins.slice(self.begin, self.end)
        begin = self.begin + n if self.begin < 0 else self.begin
        end = n if self.end is None else self.end + n if self.end < 0 else self.end
        if not 0 <= begin <= end <= n:
            raise self.shape_clash(f"begin={self.begin} and end={self.end} do not lie in order within the {n} "
                                   f"elements of axis {self.axis} of data {data}", "data")
        return builtins.slice(begin, end)


@linear("data", "shape_like")
class slice_like(Box):
    """data cut along some axes to the lengths of shape_like.

    data (any shape) | shape_like (any shape; only the shape matters) | out: data's shape, cut

    axes: the axes to cut; () for all.

    >>> nd.slice_like(nd.array([[1, 2, 3], [4, 5, 6]]), nd.zeros((1, 2))).asnumpy()
    array([[1., 2.]], dtype=float32)
    """

    axes: Shape = ()

    def key(self, data, like):
        if not self.axes and len(data) != len(like):
            raise self.shape_clash(f"data {data} and shape_like {like} must have the same number of dimensions when no "
                                   "axes are given", "shape_like")
        key = [builtins.slice(None)] * len(data)
        for a in self.axes or range(len(data)):
            axis, other = self.normalize_axis(a, len(data)), self.normalize_axis(a, len(like))
            if data[axis] is not None and like[other] > data[axis]:
                raise self.shape_clash(f"axis {a} of shape_like {like} is longer than that of data {data}",
                                       "shape_like")
            key[axis] = builtins.slice(like[other])
        return tuple(key)


@linear("*data")
class Crop(Box):
    """A window in the plane of data. If there is a second input, the window is as large as its plane.

    data (N, C, H, W), optionally (N', C', h, w) | out (N, C, h, w)

    offset: the window's upper left corner, (y, x).
    h_w: the window's height and width if there is no second input.
    center_crop: if True, take the middle and ignore the offset.

    >>> nd.Crop(nd.arange(9).reshape((1, 1, 3, 3)), h_w=(2, 2), offset=(1, 0)).asnumpy()
    array([[[[3., 4.],
             [6., 7.]]]], dtype=float32)
    """

    num_args: int
    offset: Shape = (0, 0)
    h_w: Shape = (0, 0)
    center_crop: bool = False

    def key(self, data, like=None, *more):
        self.require_rank("data0", data, 4)
        if more:
            raise self.shape_clash(f"takes one or two inputs, found {2 + len(more)}")
        if like is not None:
            self.require_rank("data1", like, 4)
        for name, value in (("offset", self.offset), ("h_w", self.h_w)):
            if len(value) != 2:
                raise self.shape_clash(f"{name}={value} must have two numbers, for the height and the width")
        size = self.h_w if like is None else like[2:]
        key = [builtins.slice(None)] * 2
        for n, length, start in zip(data[2:], size, self.offset, strict=True):
            start = ((n or 0) - length) // 2 if self.center_crop else start
            if n is not None and not 0 <= start <= start + length <= n:
                raise self.shape_clash(f"a window of {tuple(size)} at offset {self.offset} does not fit into data "
                                       f"{data}", "data0")
            key.append(builtins.slice(start, start + length))
        return tuple(key)


@register("lhs", "rhs", aliases=["_crop_assign"])
class _slice_assign(Op):
    """A copy of lhs with the box [begin:end:step] replaced with rhs. `x[1:3] = y` records this operator.

    begin, end, step: the box, as in `slice`.

    >>> nd.zeros((4,)).slice_assign(nd.array([1, 2]), begin=(1,), end=(3,), step=(1,)).asnumpy()
    array([0., 1., 2., 0.], dtype=float32)
    """

    begin: Index
    end: Index
    step: Index = ()
    keeps = ()

    def infer_shape(self, lhs, rhs):
        if lhs is None:
            return [lhs, rhs], [lhs]
        key = box_key(self, lhs)
        box = tuple(None if n is None else len(range(*k.indices(n))) for n, k in zip(lhs, key, strict=False))
        return [lhs, self.require("rhs", rhs, box + lhs[len(key):])], [lhs]

    def forward(self, lhs, rhs):
        out = lhs.copy()
        out[box_key(self, lhs.shape)] = rhs
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        box = self.attributes
        return [F._slice_assign_scalar(out_grads[0], scalar=0.0, **box), F.slice(out_grads[0], **box)]


@register("data", aliases=["_crop_assign_scalar"])
class _slice_assign_scalar(Op):
    """A copy of data with the box [begin:end:step] set to one value. `x[1:3] = 0` records this operator."""

    scalar: float = 0.0
    begin: Index
    end: Index
    step: Index = ()
    keeps = ()

    def infer_shape(self, data):
        if data is not None:
            box_key(self, data)
        return [data], [data]

    def forward(self, data):
        out = data.copy()
        out[box_key(self, data.shape)] = self.scalar
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return F._slice_assign_scalar(out_grads[0], **{**self.attributes, "scalar": 0.0})


@linear("data")
class diag(Linear):
    """The k-th diagonal of a matrix or of the planes spanned by axis1 and axis2; for a vector, the matrix with this
    diagonal.

    data (n,) | out (n + |k|, n + |k|), otherwise data (..., rows, columns) | out (..., length of the diagonal)

    axis1, axis2: the axes for rows and columns, if data has more than two axes.
    k: 0 is the main diagonal, 1 the one above it, -1 the one below.

    >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 4.], dtype=float32)
    >>> nd.diag(nd.array([5]), k=1).asnumpy()
    array([[0., 5.],
           [0., 0.]], dtype=float32)
    """

    k: int = 0
    axis1: int = 0
    axis2: int = 1

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        if len(data) == 1:
            return [data], [(None if data[0] is None else data[0] + abs(self.k),) * 2]
        axes = [self.normalize_axis(a, len(data)) for a in (self.axis1, self.axis2)]
        if axes[0] == axes[1]:
            raise self.shape_clash(f"axis1={self.axis1} and axis2={self.axis2} are the same axis")
        others = tuple(n for i, n in enumerate(data) if i not in axes)
        rows, columns = data[axes[0]], data[axes[1]]
        if rows is None or columns is None:
            return [data], [(*others, None)]
        length = min(rows, columns - self.k) if self.k >= 0 else min(rows + self.k, columns)
        if length <= 0:
            raise self.shape_clash(f"data {data} has no diagonal k={self.k} in axes {self.axis1} and {self.axis2}",
                                   "data")
        return [data], [(*others, length)]

    def forward(self, data):
        if data.ndim == 1:
            return np.diag(data, self.k)
        return np.diagonal(data, self.k, self.axis1, self.axis2).copy()

    def adjoint(self, grad, data):
        if data.ndim == 1:
            return np.diagonal(grad, self.k).copy()
        out = np.zeros(data.shape, grad.dtype)
        planes = np.moveaxis(out, (self.axis1, self.axis2), (-2, -1))
        i = np.arange(grad.shape[-1])
        planes[..., i + max(-self.k, 0), i + max(self.k, 0)] = grad
        return out
