"""Operators that read and write at given positions (arrays with one row of indices per axis), and flat indices.

Indices may be of any dtype; fractions are dropped. In gather_nd and scatter_nd, negative indices count from the end.
"""


import numpy as np

from ...base import OutOfRangeError
from ..fields import Shape
from ..linear import Linear, linear
from ..numeric import integers_of
from ..op import Op
from ..registry import register
from .indexing import add_rows

__all__ = ["gather_nd", "scatter_nd"]


def positions(indices, shape, name):
    """Returns the rows of `indices` (M, ...) as M index arrays; negative indices count from the end."""
    rows = integers_of(indices)
    for axis, (row, n) in enumerate(zip(rows, shape, strict=False)):
        outside = (row < -n) | (row >= n)
        if outside.any():
            raise OutOfRangeError(f"{name}: index {row[outside].flat[0]} is out of range for axis {axis}, "
                                  f"which has length {n}.")
    return tuple(rows)


def flat_positions(indices, shape, name):
    """Returns (flat indices, length) of `indices` (M, ...) on the first M axes of `shape`, treated as one axis."""
    rows = positions(indices, shape, name)
    lead = shape[:len(rows)]
    rows = [np.where(row < 0, row + n, row) for row, n in zip(rows, lead, strict=True)]
    return np.ravel_multi_index(rows, lead).ravel(), int(np.prod(lead))


def require_rows(op, indices):
    """Raises ShapeError if `indices` do not index any axis."""
    if indices and indices[0] == 0:
        raise op.shape_clash(f"indices {indices} have no rows, so they index no axis", "indices")


@linear("data", "indices")
class gather_nd(Linear):
    """data[indices[0], indices[1], ...], where each row of indices indexes one axis of data.

    data (d1 … dN) | indices (M, *B), M <= N | out (*B, d(M+1) … dN). Gradients at repeated indices are added.

    Raises OutOfRangeError for an index out of range; negative indices count from the end.

    >>> nd.gather_nd(nd.array([[1, 2], [3, 4]]), nd.array([[0, 1, 1], [1, 0, 1]])).asnumpy()
    array([2., 3., 4.], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, data, indices):
        if data is None or indices is None or indices[0] is None:
            return [data, indices], [None]
        require_rows(self, indices)
        if len(indices) < 2 or indices[0] > len(data):
            raise self.shape_clash(f"indices {indices} must have two dimensions or more, and at most as many rows as "
                                   f"data {data} has axes", "indices")
        return [data, indices], [indices[1:] + data[indices[0]:]]

    def infer_dtype(self, data, indices):
        return [data, indices], [data]

    def forward(self, data, indices):
        return data[positions(indices, data.shape, self.name)]

    def adjoint(self, grad, data, indices):
        numbers, count = flat_positions(indices, data.shape, self.name)
        rows = grad.reshape(numbers.size, int(np.prod(data.shape[len(indices):])))
        return add_rows(rows, numbers, count).reshape(data.shape)


class _Scatter(Op):
    """Base of the operators that write to positions given by `indices`."""

    keeps = ("inputs",)

    def check(self, data, indices, data_name):
        """Returns the shape of `data`, completed from `indices` and the attribute `shape`."""
        if indices is None:
            return data
        require_rows(self, indices)
        if len(indices) < 2 or indices[0] is not None and indices[0] > len(self.shape):
            raise self.shape_clash(f"indices {indices} must have two dimensions or more, and at most as many rows as "
                                   f"shape={self.shape} has axes", "indices")
        return data if indices[0] is None else self.require(data_name, data, indices[1:] + self.shape[indices[0]:])


@register("data", "indices")
class scatter_nd(_Scatter):
    """Zeros of shape `shape` with data at the positions that gather_nd would read. If indices repeat, the last value
    wins.

    data (*B, s(M+1) … sN) | indices (M, *B) | out (s1 … sN)

    The gradient assumes distinct indices.

    shape: (s1 … sN), the shape of the result.

    Raises OutOfRangeError for an index out of range; negative indices count from the end.

    >>> nd.scatter_nd(nd.array([5, 6]), nd.array([[0, 1], [1, 0]]), shape=(2, 2)).asnumpy()
    array([[0., 5.],
           [6., 0.]], dtype=float32)
    """

    shape: Shape

    def infer_shape(self, data, indices):
        return [self.check(data, indices, "data"), indices], [self.shape]

    def infer_dtype(self, data, indices):
        return [data, indices], [data]

    def forward(self, data, indices):
        out = np.zeros(self.shape, data.dtype)
        out[positions(indices, self.shape, self.name)] = data
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return [F.gather_nd(out_grads[0], inputs[1]), None]


@register("lhs", "rhs", "indices")
class _scatter_set_nd(_Scatter):
    """A copy of lhs with rhs at the positions that gather_nd would read. `x[[0, 2]] = y` records this operator."""

    shape: Shape

    def infer_shape(self, lhs, rhs, indices):
        return [self.require("lhs", lhs, self.shape), self.check(rhs, indices, "rhs"), indices], [self.shape]

    def infer_dtype(self, lhs, rhs, indices):
        return [lhs, rhs, indices], [lhs]

    def forward(self, lhs, rhs, indices):
        out = lhs.copy()
        out[positions(indices, self.shape, self.name)] = rhs
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        g, (_, rhs, indices) = out_grads[0], inputs
        hole = F._scatter_set_nd(g, F.zeros_like(rhs), indices, shape=self.shape)
        return [hole, F._last_writer(F.gather_nd(g, indices), indices, shape=self.shape), None]


@register("grad", "indices")
class _last_writer(_Scatter):
    """grad, with zeros for values that were overwritten by a later value at the same position."""

    shape: Shape

    def infer_shape(self, grad, indices):
        grad = self.check(grad, indices, "grad")
        return [grad, indices], [grad]

    def infer_dtype(self, grad, indices):
        return [grad, indices], [grad]

    def forward(self, grad, indices):
        numbers, count = flat_positions(indices, self.shape, self.name)
        last = np.empty(count, np.int64)
        last[numbers] = np.arange(numbers.size)
        survives = (last[numbers] == np.arange(numbers.size)).reshape(indices.shape[1:])
        return grad * survives.reshape(survives.shape + (1,) * (grad.ndim - survives.ndim)).astype(grad.dtype)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._last_writer(out_grads[0], inputs[1], shape=self.shape), None]


@register("data", name="_ravel_multi_index", aliases=["ravel_multi_index"])
class ravel_multi_index(Op):
    """The flat indices that correspond to positions in an array of shape `shape`. No gradient.

    data (N, *B), one row per axis | out (*B), or (1,) for a single position

    shape: the shape of the array, with N axes.

    >>> nd.ravel_multi_index(nd.array([[0, 1], [2, 0]]), shape=(2, 3)).asnumpy()
    array([2., 3.], dtype=float32)
    """


    shape: Shape | None = None
    gradient = None

    def infer_shape(self, data):
        if not self.shape:
            raise self.shape_clash("needs the attribute shape, of the array that the positions belong to")
        if data is not None and data[0] not in (None, len(self.shape)):
            raise self.shape_clash(f"data {data} must have a row for each of the axes of shape={self.shape}", "data")
        return [data], [None if data is None else data[1:] or (1,)]

    def forward(self, data):
        strides = np.cumprod((1, *self.shape[:0:-1]))[::-1]
        return np.asarray(np.tensordot(strides, integers_of(data), 1), data.dtype).reshape(data.shape[1:] or (1,))


@register("data", name="_unravel_index", aliases=["unravel_index"])
class unravel_index(Op):
    """The positions that correspond to flat indices in an array of shape `shape`. No gradient.

    data (*B) | out (N, *B)

    shape: the shape of the array, with N axes.

    >>> nd.unravel_index(nd.array([2, 3]), shape=(2, 3)).asnumpy()
    array([[0., 1.],
           [2., 0.]], dtype=float32)
    """

    shape: Shape | None = None
    gradient = None

    def infer_shape(self, data):
        if not self.shape:
            raise self.shape_clash("needs the attribute shape, of the array that the numbers belong to")
        if any(n < 1 for n in self.shape[1:]) or self.shape[0] == 0:
            raise self.shape_clash(f"shape={self.shape} must have positive lengths (the first may be -1)")
        return [data], [None if data is None else (len(self.shape), *data)]

    def forward(self, data):
        remaining, rows = integers_of(data), []
        for n in self.shape[:0:-1]:
            rows.append(remaining % n)
            remaining = remaining // n
        first = remaining if self.shape[0] < 0 else remaining % self.shape[0]
        return np.stack([first, *rows[::-1]]).astype(data.dtype)
