"""Reductions over axes: a table of names, NumPy functions and gradients."""

import math

import numpy as np

from ..docstrings import example
from ..fields import Shape
from ..numeric import sum_along
from ..op import Op
from ..registry import define, register

__all__ = ["Axes", "Reduce", "reduced_shape", "spread"]


class Axes(Op):
    """Base class of operators with a field `axis`: an integer, a tuple, or None or () for all axes."""

    exclude = False         # overridden by a field in some operators: if True, all other axes are reduced

    def axes(self, ndim):
        """Returns the reduced axes, non-negative and sorted."""
        if not self.axis:
            return tuple(range(ndim))
        named = {self.normalize_axis(a, ndim) for a in self.axis}
        if len(named) != len(self.axis):
            raise self.shape_clash(f"axis={self.axis} names an axis of {ndim} dimensions twice")
        return tuple(i for i in range(ndim) if (i in named) != self.exclude)


def reduced_shape(shape, axes, keepdims):
    """Returns the shape after a reduction over the non-negative `axes`; (1,) instead of ()."""
    if keepdims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes) or (1,)


class Reduce(Axes):
    """Applies `compute(data, axis, keepdims)` over `axis` (None or (): all), or over all other axes with exclude=True.

    axis: the axes to reduce, an integer or a tuple; None or () for all.
    exclude: if True, reduce all axes except `axis`.
    """

    axis: Shape | None = None
    keepdims: bool = False
    exclude: bool = False
    ufunc = None            # the NumPy function whose `reduce` computes the result for floats

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        return [data], [reduced_shape(data, self.axes(len(data)), self.keepdims)]

    def forward(self, data):
        out = self.compute(data, self.axes(data.ndim), self.keepdims)
        return np.asarray(out, data.dtype).reshape(out.shape if self.keepdims else out.shape or (1,))

    def divisor(self, data, axes):
        """Returns the divisor of the reduction of data, or None for 1."""
        return None

    def gradient(self, F, out_grads, inputs, outputs):
        return self.derivative(F, self, out_grads[0], inputs[0], outputs[0])


def spread(F, op, small, like):
    """Stretches `small`, a reduced array, to the shape of `like`."""
    return F._spread_like(small, like, axis=op.axis, keepdims=op.keepdims, exclude=op.exclude)


@register("data", "like")
class _spread_like(Reduce):
    """Stretches a reduced array along the axes that were reduced: the adjoint of `sum`."""

    keeps = ()
    shape_only = ("like",)

    def infer_shape(self, data, like):
        if like is not None:
            data = self.require("data", data, reduced_shape(like, self.axes(len(like)), self.keepdims))
        return [data, like], [like]

    def infer_dtype(self, data, like):
        return [data, like], [data]

    def forward(self, data, like):
        shape = reduced_shape(like.shape, self.axes(like.ndim), True)
        out = np.empty(like.shape, data.dtype)
        out[...] = data.reshape(shape)
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        g = F.sum(out_grads[0], axis=self.axis, keepdims=self.keepdims, exclude=self.exclude)
        return [g, None]


def reduction(name, compute, derivative, doc, numbers, aliases=(), keeps=("inputs",), base=Reduce, ufunc=None):
    """Registers a reduction. `derivative(F, op, g, x, y)` returns the gradient of x.

    numbers: an example with axis=1, "[data] -> [out]".
    """
    data, out = numbers.split(" -> ")
    doc += "\n\ndata (any shape) | out: data's shape without the reduced axes, (1,) if nothing is left"
    doc += example(f"nd.{name}(nd.array({data}), axis=1)", out)
    cls = define(name, ["data"], base, doc, aliases, compute=compute, derivative=derivative, keeps=tuple(keeps))
    cls.ufunc = ufunc       # set here because `define` would turn it into a method


def _accumulator(dtype):
    """Returns the type for sums: float16 has too few digits."""
    return np.float32 if dtype == np.float16 else dtype


def _sum(x, axis, keepdims):
    return sum_along(x, axis, _accumulator(x.dtype), keepdims=keepdims)


def _prod(x, axis, keepdims):
    return np.multiply.reduce(x, axis, _accumulator(x.dtype), keepdims=keepdims)


def _mean(x, axis, keepdims):
    count = np.prod([x.shape[a] for a in axis], dtype=np.int64)
    if x.dtype == np.int64:
        return _mean_of_integers(x, axis, keepdims, max(count, 1))
    if x.dtype.kind != "f":
        return np.trunc(np.add.reduce(x, axis, np.float64, keepdims=keepdims) / count)
    return np.divide(_sum(x, axis, keepdims), count, dtype=_accumulator(x.dtype))


def _mean_of_integers(x, axis, keepdims, count):
    """Returns the mean, rounded toward zero. It sums quotients and remainders because float64 has only 53 bits."""
    whole, remainder = np.divmod(x, count)
    more, remainder = np.divmod(np.add.reduce(remainder, axis, keepdims=keepdims), count)
    floor = np.add.reduce(whole, axis, keepdims=keepdims) + more
    return floor + ((floor < 0) & (remainder > 0))


def _replace_nan(x, value):
    return np.where(np.isnan(x), x.dtype.type(value), x) if x.dtype.kind == "f" else x


def _extreme_derivative(F, op, g, x, y):
    return spread(F, op, g, x) * F.broadcast_equal(x, spread(F, op, y, x))


BOTH = ("inputs", "outputs")

reduction("sum", _sum, lambda F, op, g, x, y: spread(F, op, g, x),
          "Sum over axes.", "[[1, 2], [3, 4]] -> [3., 7.]", ["sum_axis"], keeps=("shapes",), ufunc=np.add)


class _Mean(Reduce):
    def divisor(self, data, axes):
        return np.array(math.prod(data.shape[a] for a in axes), data.dtype)


reduction("mean", _mean, lambda F, op, g, x, y: spread(F, op, g * F._mean_weight(x, g), x),
          "Mean over axes.", "[[1, 2], [3, 4]] -> [1.5, 3.5]", keeps=("shapes",), base=_Mean, ufunc=np.add)
reduction("prod", _prod,
          lambda F, op, g, x, y: spread(F, op, g, x) * F._prod_others(x, axis=op.axis, exclude=op.exclude),
          "Product over axes.", "[[1, 2], [3, 4]] -> [ 2., 12.]", ufunc=np.multiply)
reduction("nansum", lambda x, axis, keepdims: _sum(_replace_nan(x, 0), axis, keepdims),
          lambda F, op, g, x, y: spread(F, op, g, x) * (x == x),
          "Sum over axes, NaN taken as 0.", "[[1, 2], [3, np.nan]] -> [3., 3.]")
reduction("nanprod", lambda x, axis, keepdims: _prod(_replace_nan(x, 1), axis, keepdims),
          lambda F, op, g, x, y: spread(F, op, g, x) * F._prod_others(x, axis=op.axis, exclude=op.exclude,
                                                                      skip_nan=True),
          "Product over axes, NaN taken as 1.", "[[1, 2], [3, np.nan]] -> [2., 3.]")


class _Extreme(Reduce):
    """Base class of reductions that are undefined for empty arrays."""

    def infer_shape(self, data):
        if data is not None and any(data[a] == 0 for a in self.axes(len(data))):
            raise self.shape_clash(f"data {data} has no element along axis={self.axis}", "data")
        return super().infer_shape(data)


reduction("max", lambda x, axis, keepdims: np.maximum.reduce(x, axis, keepdims=keepdims), _extreme_derivative,
          "Largest element over axes. The gradient goes to every element that equals it.",
          "[[1, 2], [4, 3]] -> [2., 4.]", ["max_axis"], BOTH, base=_Extreme, ufunc=np.maximum)
reduction("min", lambda x, axis, keepdims: np.minimum.reduce(x, axis, keepdims=keepdims), _extreme_derivative,
          "Smallest element over axes. The gradient goes to every element that equals it.",
          "[[1, 2], [4, 3]] -> [1., 3.]", ["min_axis"], BOTH, base=_Extreme, ufunc=np.minimum)
reduction("_square_sum", lambda x, axis, keepdims: _sum(np.square(x), axis, keepdims),
          lambda F, op, g, x, y: 2 * spread(F, op, g, x) * x,
          "Sum of squares over axes.", "[[1, 2], [3, 4]] -> [ 5., 25.]")


@register("data", "reduced")
class _mean_weight(Op):
    """reduced.size / data.size in an array of shape (1,): the weight of each element in a mean."""

    keeps = ()
    shape_only = ("data", "reduced")

    def infer_shape(self, data, reduced):
        return [data, reduced], [(1,)]

    def forward(self, data, reduced):
        return np.full((1,), reduced.size / max(data.size, 1), data.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [None, None]


@register("data")
class _prod_others(Axes):
    """For each element, the product of the other elements in its reduction. The result is correct even if some are 0.

    With skip_nan, NaN counts as 1 and its own result is 0. The gradient of this operator divides by data, which must
    not contain 0.
    """

    axis: Shape | None = None
    exclude: bool = False
    skip_nan: bool = False
    keeps = BOTH

    def forward(self, data):
        axes = self.axes(data.ndim)
        order = (*[i for i in range(data.ndim) if i not in axes], *axes)
        moved = data.transpose(order)
        outer_rank = data.ndim - len(axes)
        flat = moved.reshape(*moved.shape[:outer_rank], math.prod(moved.shape[outer_rank:]))
        if self.skip_nan:
            flat = _replace_nan(flat, 1)
        if not data.size:
            return data.copy()
        ones = np.ones_like(flat[..., :1])
        before = np.multiply.accumulate(np.concatenate([ones, flat[..., :-1]], -1), -1)
        after = np.multiply.accumulate(np.concatenate([ones, flat[..., :0:-1]], -1), -1)[..., ::-1]
        out = np.empty_like(data)
        out.transpose(order)[...] = (before * after).reshape(moved.shape)
        if self.skip_nan:
            out[np.isnan(data)] = 0
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        x, weighted = inputs[0], out_grads[0] * outputs[0]
        total = F._spread_like(F.sum(weighted, axis=self.axis, exclude=self.exclude), x, axis=self.axis,
                               exclude=self.exclude)
        return (total - weighted) / x
