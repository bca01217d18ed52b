"""norm, moments, argmax, argmin and cumsum."""

import math
from typing import Literal

import numpy as np

from ...base import DTypeError
from ...common.dtypes import is_float
from ...diagnostics.strictness import refuse
from ..fields import DType, Shape
from ..numeric import cast, sum_along
from ..op import Op
from ..rank_checks import whole_numbers
from ..registry import register
from ..shapes import around
from .reduce import Axes, reduced_shape

__all__ = ["PositionOp", "argmax", "argmax_channel", "argmin", "moments", "norm", "root_of_squares"]


# the range in which a sum of squares is accurate
_SQUARES = {name: (float(limits.tiny / limits.eps ** 2), float(limits.max))
            for name, limits in (("float32", np.finfo(np.float32)), ("float64", np.finfo(np.float64)))}


def root_of_squares(x, axes, eps=0.0):
    """Returns √(Σ x² + eps) over axes, which are kept as axes of length 1.

    If the sum of squares exceeds the range of the type but its root does not, x is first scaled by a power of 2.
    """
    with np.errstate(over="ignore", under="ignore"):
        total = sum_along(np.square(x), axes, keepdims=True) + x.dtype.type(eps)
        least, largest = _SQUARES.get(x.dtype.name, (0, np.inf))
        if ((total >= least) & (total <= largest)).all():
            return np.sqrt(total)
        size = np.maximum.reduce(np.abs(x), axes, keepdims=True, initial=math.sqrt(max(eps, 0.0)))
        exponent = np.frexp(np.where(np.isfinite(size), size, 1))[1]
        total = sum_along(np.square(np.ldexp(x, -exponent)), axes, keepdims=True)
        return np.ldexp(np.sqrt(total + np.ldexp(x.dtype.type(eps), -2 * exponent)), exponent)


@register("data")
class norm(Axes):
    """√(Σ data²) for ord=2, Σ |data| for ord=1. The gradient at a norm of 0 is 0.

    data (any shape) | out: data's shape without the reduced axes, (1,) if none is left

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    ord: 1 or 2, the norm to compute.
    out_dtype: the type of the result; None for the type of data.

    >>> nd.norm(nd.array([[3, 4], [6, 8]]), axis=1).asnumpy()
    array([ 5., 10.], dtype=float32)
    """

    ord: int = 2
    axis: Shape | None = None
    out_dtype: DType | None = None
    keepdims: bool = False

    def infer_shape(self, data):
        if self.ord not in (1, 2):
            raise self.shape_clash(f"ord is {self.ord}, expected 1 or 2")
        if data is None:
            return [None], [None]
        return [data], [reduced_shape(data, self.axes(len(data)), self.keepdims)]

    def infer_dtype(self, data):
        return [data], [np.dtype(self.out_dtype) if self.out_dtype else data]

    def forward(self, data):
        axes = self.axes(data.ndim)
        x = data.astype(np.float64 if data.dtype.kind != "f" else np.promote_types(data.dtype, np.float32), copy=False)
        if self.ord == 1 and data.dtype == np.int64:
            out = np.add.reduce(np.abs(data), axes, keepdims=self.keepdims)
        elif self.ord == 1:
            out = sum_along(np.abs(x), axes, keepdims=self.keepdims)
        else:
            out = root_of_squares(x, axes)
            out = out if self.keepdims else out.reshape(reduced_shape(data.shape, axes, False))
        return cast(np.asarray(out), self.out_dtype or data.dtype).reshape(np.shape(out) or (1,))

    def gradient(self, F, out_grads, inputs, outputs):
        x, y = inputs[0], outputs[0]
        spread = {"axis": self.axis, "keepdims": self.keepdims}
        g = out_grads[0]
        if self.out_dtype:
            g, y = F._cast_like(g, x), F._cast_like(y, x)
        if self.ord == 1:
            return F._spread_like(g, x, **spread) * F.sign(x)
        return F._spread_like(g / (y + (y == 0)), x, **spread) * x


@register("data")
class moments(Op):
    """The mean and the variance, which is the mean of the squared distances from the mean.

    data (any shape) | two arrays: data's shape without the reduced axes, (1,) if none is left

    axes: the axes to reduce; None or () for all.

    >>> mean, var = nd.moments(nd.array([1, 2, 3, 6]), axes=0)
    >>> mean.asnumpy(), var.asnumpy()
    (array([3.], dtype=float32), array([3.5], dtype=float32))
    """

    axes: Shape | None = None
    keepdims: bool = False
    num_outputs = 2

    def _reduced(self, ndim):
        return tuple(sorted({self.normalize_axis(a, ndim) for a in self.axes or range(ndim)}))

    def infer_shape(self, data):
        if data is None:
            return [None], [None, None]
        return [data], [reduced_shape(data, self._reduced(len(data)), self.keepdims)] * 2

    def forward(self, data):
        axes = self._reduced(data.ndim)
        x = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
        count = max(1, np.prod([data.shape[a] for a in axes], dtype=np.int64))
        mean = sum_along(x, axes, keepdims=True) / x.dtype.type(count)
        centered = np.asarray(x - mean)
        var = sum_along(np.square(centered, out=centered), axes, keepdims=True) / x.dtype.type(count)
        shape = reduced_shape(data.shape, axes, self.keepdims)
        return mean.reshape(shape).astype(data.dtype), var.reshape(shape).astype(data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        x = inputs[0]
        weight = F._mean_weight(x, outputs[0])
        g_mean, g_var, mean = (F._spread_like(a, x, axis=self.axes, keepdims=self.keepdims)
                               for a in (out_grads[0], out_grads[1], outputs[0]))
        return weight * (g_mean + 2 * g_var * (x - mean))


class PositionOp(Op):
    """Base class of operators that return positions of extreme elements along an axis, in the dtype of data. They have
    no gradient.
    """

    keeps = ("shapes",)

    def lines(self, data):
        """Splits data's shape into (outer, rows, inner), where positions count along rows."""
        return (1, math.prod(data), 1) if self.axis is None else around(data, self.axis)

    def require_room(self, data):
        """Raises DTypeError if data, an array or a Spec, has more elements along the axis than its dtype can count.

        In lenient mode, the positions are cast, so they wrap around or are rounded.
        """
        count = self.lines(data.shape)[1]
        if count - 1 > whole_numbers(data.dtype):
            wider = ("float32", "float64") if is_float(data.dtype) else ("int32", "int64")
            better = next(dtype for dtype in wider if count - 1 <= whole_numbers(dtype))
            refuse(DTypeError(f"{self.name}: positions up to {count - 1} do not fit into {data.dtype}, the dtype of "
                              f"data. Convert with .astype('{better}')."))

    def gradient(self, F, out_grads, inputs, outputs):
        return F.zeros_like(inputs[0])


class _Arg(PositionOp):
    """Positions along an axis, in the dtype of data. If axis is None, the position in the flattened array, with shape
    (1,).

    If several elements are equal, the first position is returned. NaN counts as an extreme value.

    axis: the axis to search; None for the flattened array, with a result of shape (1,).
    keepdims: if True, leave the axis in the result, with length 1.
    """

    axis: int | None = None
    keepdims: bool = False

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        axes = range(len(data)) if self.axis is None else [self.normalize_axis(self.axis, len(data))]
        if any(data[a] == 0 for a in axes):
            raise self.shape_clash(f"data {data} has no element along axis={self.axis}", "data")
        return [data], [reduced_shape(data, axes, self.keepdims)]

    def forward(self, data):
        shape = self.infer_shape(data.shape)[1][0]
        self.require_room(data)
        return self.find(data, self.axis).astype(data.dtype).reshape(shape)


@register("data")
class argmax(_Arg):
    """The position of the largest element along an axis, in the dtype of data.

    data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

    In a tie, the first position is returned, and NaN counts as the largest. There is no gradient.

    Raises DTypeError if the positions do not fit in the dtype.

    >>> nd.argmax(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
    array([1., 0.], dtype=float32)
    """

    find = staticmethod(np.argmax)


@register("data")
class argmin(_Arg):
    """The position of the smallest element along an axis, in the dtype of data.

    data (any shape) | out: data's shape without the axis, (1,) if none is left or axis is None

    In a tie, the first position is returned, and NaN counts as the smallest. There is no gradient.

    Raises DTypeError if the positions do not fit in the dtype.

    >>> nd.argmin(nd.array([[1, 3, 2], [6, 4, 5]]), axis=1).asnumpy()
    array([0., 1.], dtype=float32)
    """

    find = staticmethod(np.argmin)


@register("data")
class argmax_channel(PositionOp):
    """argmax along axis 1, in the dtype of data.

    data (N, C, *rest) | out (N, *rest)

    >>> nd.argmax_channel(nd.array([[1, 3, 2], [6, 4, 5]])).asnumpy()
    array([1., 0.], dtype=float32)
    """

    axis = 1

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        if len(data) < 2 or data[1] == 0:
            raise self.shape_clash(f"data has shape {data}, expected (N, C, ...) with C > 0", "data")
        return [data], [(data[0], *data[2:])]

    def forward(self, data):
        self.require_room(data)
        return np.argmax(data, 1).astype(data.dtype)


class _Cumulative(Op):
    """Cumulative sums along `axis`, or over the flattened array if axis is None."""

    axis: int | None = None
    dtype: Literal["float16", "float32", "float64", "int32", "int64", "int8"] | None = None
    keeps = ("shapes",)
    backwards = False

    def infer_shape(self, a):
        if a is None:
            return [None], [None]
        if self.axis is not None:
            self.normalize_axis(self.axis, len(a))
            return [a], [a]
        return [a], [(None if None in a else int(np.prod(a)),)]

    def infer_dtype(self, a):
        return [a], [np.dtype(self.dtype) if self.dtype else a]

    def forward(self, a):
        dtype = np.dtype(self.dtype or a.dtype)
        x, axis = (a.reshape(-1), 0) if self.axis is None else (a, self.axis)
        x = cast(x, dtype)
        if self.backwards:
            return np.ascontiguousarray(np.flip(np.add.accumulate(np.flip(x, axis), axis, dtype), axis))
        return np.add.accumulate(x, axis, dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        adjoint = F._np_cumsum if self.backwards else F._cumsum_backwards
        g = F.reshape_like(adjoint(out_grads[0], axis=self.axis), inputs[0])
        return F._cast_like(g, inputs[0]) if self.dtype else g


@register("a", aliases=["cumsum"])
class _np_cumsum(_Cumulative):
    """Cumulative sums: each element plus all elements before it.

    a (any shape) | out like a, or with axis=None (elements of a,)

    axis: the axis to sum along; None flattens first.
    dtype: the type of the sums and the result; None for the type of a.

    >>> nd.cumsum(nd.array([[1, 2, 3], [4, 5, 6]]), axis=1).asnumpy()
    array([[ 1.,  3.,  6.],
           [ 4.,  9., 15.]], dtype=float32)
    """


@register("a")
class _cumsum_backwards(_Cumulative):
    """Cumulative sums from the end: the adjoint of cumsum."""

    backwards = True
