"""Operators that look up elements by index along one axis, and their adjoints, which add gradients at these indices.

Indices may be of any dtype; fractions are dropped. Each operator's `mode` determines how an index out of range is
handled: clip uses the nearest valid index, wrap takes it modulo the length, raise raises an error.
"""

from typing import Literal

import numpy as np

from ...base import OutOfRangeError
from ...diagnostics.strictness import refuse
from ..fields import DType
from ..kinds import Elementwise
from ..linear import Linear, linear
from ..numeric import integers_of
from ..op import Op
from ..registry import register

__all__ = ["Embedding", "batch_take", "one_hot", "pick", "take", "where"]


def integers(indices, limit, mode, name):
    """Returns the indices as int64 within 0 … limit - 1, by `mode`. Raises OutOfRangeError for mode 'raise'."""
    indices = integers_of(indices)
    if mode == "wrap":
        return indices % max(limit, 1)
    if mode == "clip":
        return np.clip(indices, 0, max(limit - 1, 0), out=indices)
    outside = (indices < 0) | (indices >= limit)
    if outside.any():
        raise OutOfRangeError(f"{name}: index {indices[outside][0]} is out of range; "
                              f"indices must be at least 0 and less than {limit}.")
    return indices


def add_rows(rows, numbers, count):
    """Returns an array (count, K) whose row i is the sum of the `rows` (M, K) with index i.

    `np.add.at` is fast only along one axis, so it is given the position of each element. This is 2 to 30 times as fast
    as sorting the rows and summing runs. Positions take twice the memory of the rows, so they are processed in chunks
    that fit in the cache.
    """
    width = rows.shape[1]
    out, columns, step = np.zeros((count, width), rows.dtype), np.arange(width), max(1, 2 ** 15 // max(width, 1))
    for i in range(0, len(rows), step):
        places = numbers[i:i + step].reshape(-1, 1) * width + columns
        np.add.at(out.reshape(-1), places.ravel(), rows[i:i + step].ravel())
    return out


@linear("a", "indices")
class take(Linear):
    """Slices of a at `indices` along axis `axis`.

    a (*lead, n, *rest) | indices (any shape) | out (*lead, *indices' shape, *rest)

    axis: the axis of length n.
    mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n, 'raise'
    raises an error.

    Raises OutOfRangeError with mode='raise'.

    >>> nd.take(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([2, 0, 2])).asnumpy()
    array([[5., 6.],
           [1., 2.],
           [5., 6.]], dtype=float32)
    """

    axis: int = 0
    mode: Literal["clip", "raise", "wrap"] = "clip"
    keeps = ("inputs",)

    def infer_shape(self, a, indices):
        if a is None or indices is None:
            return [a, indices], [None]
        axis = self.normalize_axis(self.axis, len(a))
        if a[axis] == 0 and 0 not in indices:
            raise self.shape_clash(f"axis {self.axis} of a {a} has no elements to take", "a")
        return [a, indices], [a[:axis] + indices + a[axis + 1:]]

    def infer_dtype(self, a, indices):
        return [a, indices], [a]

    def index_ranges(self, a, indices):
        return {"indices": (0, a[self.axis] - 1)} if self.mode == "clip" else {}

    def forward(self, a, indices):
        return a.take(integers(indices, a.shape[self.axis], self.mode, self.name), axis=self.axis)

    def adjoint(self, grad, a, indices):
        axis, n = self.normalize_axis(self.axis, a.ndim), a.shape[self.axis]
        numbers = integers(indices, n, self.mode, self.name).ravel()
        # (lead, M, rest) -> the indexed axis first, everything else flattened into one row
        g = np.moveaxis(grad.reshape(*a.shape[:axis], numbers.size, *a.shape[axis + 1:]), axis, 0)
        summed = add_rows(g.reshape(numbers.size, a.size // n if n else 0), numbers, n)
        other_lengths = a.shape[:axis] + a.shape[axis + 1:]
        return np.ascontiguousarray(np.moveaxis(summed.reshape(n, *other_lengths), 0, axis))


@linear("data", "weight", aliases=["_contrib_SparseEmbedding"])
class Embedding(Linear):
    """For each element i of data, row i of weight.

    data (any shape) | weight (input_dim, output_dim) | out (*data's shape, output_dim)

    An index out of range is an error. -1, which marks padding, counts as 0. In lenient mode, and on a GPU, such indices
    are clipped, as in MXNet.

    input_dim: the number of rows in weight, which is the size of the vocabulary.
    output_dim: the length of a row.
    dtype: the type of weight if it is unknown.
    sparse_grad: if True, make the gradient of weight row_sparse, except in a graph, where it is dense.

    >>> weight = nd.array([[0, 0], [1, 10], [2, 20]])
    >>> nd.Embedding(nd.array([2, 1]), weight, input_dim=3, output_dim=2).asnumpy()
    array([[ 2., 20.],
           [ 1., 10.]], dtype=float32)
    """

    input_dim: int
    output_dim: int
    dtype: DType = "float32"
    sparse_grad: bool = False
    linear_in = 1
    keeps = ("inputs",)

    def infer_shape(self, data, weight):
        weight = self.require("weight", weight, (self.input_dim, self.output_dim))
        return [data, weight], [None if data is None else (*data, self.output_dim)]

    def infer_dtype(self, data, weight):
        weight = np.dtype(self.dtype) if weight is None else weight
        return [data, weight], [weight]

    def index_ranges(self, data, weight):
        return {"data": (0, self.input_dim - 1)}

    def forward(self, data, weight):
        numbers = integers_of(data)
        self.require_rows(numbers)
        return weight.take(numbers, axis=0, mode="clip" if self.input_dim else "raise")

    def require_rows(self, numbers):
        """Raises OutOfRangeError for an index that is neither a row of weight nor -1; lenient mode only warns."""
        if not numbers.size or numbers.view(np.uint64).max() < self.input_dim:
            return
        outside = (numbers < -1) | (numbers >= self.input_dim)
        if outside.any():
            first = tuple(int(i) for i in np.argwhere(outside)[0])
            refuse(OutOfRangeError(
                f"Embedding: data has {numbers[first]} at {first}, expected 0 to {self.input_dim - 1}; "
                f"{int(outside.sum())} of {numbers.size} are out of range. The layer's input_dim is the number of "
                "rows, one more than the largest index."))

    def adjoint(self, grad, data, weight):
        numbers = integers(data, self.input_dim, "clip", self.name).ravel()
        return add_rows(grad.reshape(numbers.size, self.output_dim), numbers, self.input_dim)


@linear("data", "index", aliases=["choose_element_0index"])
class pick(Linear):
    """The element at the given index along axis `axis`, for each position in the other axes.

    data (*lead, n, *rest) | index (*lead, *rest), or with the axis of length 1 | out like index

    keepdims: if True, leave the axis in the result, with length 1.
    axis: the axis of length n.
    mode: how an index out of range is handled: 'clip' uses the nearest valid index, 'wrap' takes it modulo n.

    >>> nd.pick(nd.array([[1, 2], [3, 4]]), nd.array([0, 1])).asnumpy()
    array([1., 4.], dtype=float32)
    """

    axis: int | None = -1
    keepdims: bool = False
    mode: Literal["clip", "wrap"] = "clip"
    keeps = ("inputs",)

    def infer_shape(self, data, index):
        if self.axis is None:
            raise self.shape_clash("axis=None is not supported; name the axis to pick along")
        if data is None:
            return [data, index], [None]
        axis = self.normalize_axis(self.axis, len(data))
        with_one, dropped = (*data[:axis], 1, *data[axis + 1:]), data[:axis] + data[axis + 1:] or (1,)
        if data[axis] == 0 and 0 not in dropped:
            raise self.shape_clash(f"data {data} has no elements along axis {self.axis} to pick", "data")
        index = self.require("index", index, with_one if index is not None and len(index) == len(data) else dropped)
        return [data, index], [with_one if self.keepdims else dropped]

    def infer_dtype(self, data, index):
        return [data, index], [data]

    def index_ranges(self, data, index):
        return {"index": (0, data[self.axis] - 1)} if self.mode == "clip" else {}

    def numbers(self, data, index):
        axis = self.normalize_axis(self.axis, data.ndim)
        index = index.reshape(*data.shape[:axis], 1, *data.shape[axis + 1:])
        return integers(index, data.shape[axis], self.mode, self.name)

    def forward(self, data, index):
        picked = np.take_along_axis(data, self.numbers(data, index), self.axis)
        return picked.reshape(self.infer_shape(data.shape, index.shape)[1][0])

    def adjoint(self, grad, data, index):
        out, numbers = np.zeros(data.shape, grad.dtype), self.numbers(data, index)
        np.put_along_axis(out, numbers, grad.reshape(numbers.shape), self.axis)
        return out


@linear("a", "indices")
class batch_take(Linear):
    """a[i, indices[i]] for each row i. Indices out of range are clipped.

    a (N, M) | indices (N,) | out (N,)

    >>> nd.batch_take(nd.array([[1, 2], [3, 4]]), nd.array([0, 1], dtype="int32")).asnumpy()
    array([1., 4.], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, a, indices):
        self.require_rank("a", a, 2)
        rows = None if a is None else a[:1]
        if a is not None and a[1] == 0 and a[0] != 0:
            raise self.shape_clash(f"a {a} has no columns to take an element of", "a")
        indices = self.require("indices", indices, rows)
        return [a, indices], [indices]

    def infer_dtype(self, a, indices):
        return [a, indices], [a]

    def index_ranges(self, a, indices):
        return {"indices": (0, a[1] - 1)}

    def forward(self, a, indices):
        return a[np.arange(len(a)), integers(indices, a.shape[1], "clip", self.name)]

    def adjoint(self, grad, a, indices):
        out = np.zeros(a.shape, grad.dtype)
        out[np.arange(len(a)), integers(indices, a.shape[1], "clip", self.name)] = grad
        return out


@register("lhs", "mhs", "rhs")
class fill_element_0index(Op):
    """lhs with element rhs[i] of each row i replaced with mhs[i].

    lhs (N, M) | mhs, rhs (N,) | out (N, M)

    >>> nd.fill_element_0index(nd.zeros((2, 2)), nd.array([5, 6]), nd.array([0, 1])).asnumpy()
    array([[5., 0.],
           [0., 6.]], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, lhs, mhs, rhs):
        self.require_rank("lhs", lhs, 2)
        rows = None if lhs is None else lhs[:1]
        if lhs is not None and lhs[1] == 0 and lhs[0] != 0:
            raise self.shape_clash(f"lhs {lhs} has no columns to fill an element of", "lhs")
        return [lhs, self.require("mhs", mhs, rows), self.require("rhs", rhs, rows)], [lhs]

    def infer_dtype(self, lhs, mhs, rhs):
        return [lhs, mhs, rhs], [lhs]

    def index_ranges(self, lhs, mhs, rhs):
        return {"rhs": (0, lhs[1] - 1)}

    def forward(self, lhs, mhs, rhs):
        out = lhs.copy()
        out[np.arange(len(lhs)), integers(rhs, lhs.shape[1], "clip", self.name)] = mhs
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        g, (_, mhs, rhs) = out_grads[0], inputs
        return [F.fill_element_0index(g, F.zeros_like(mhs), rhs), F.pick(g, rhs), None]


@register("indices")
class one_hot(Op):
    """A new last axis of length `depth` that is on_value at the index and off_value elsewhere. No gradient.

    indices (any shape) | out (*indices' shape, depth); for an index out of range, off_value everywhere

    depth: the number of classes.
    on_value, off_value: the value at the index, and everywhere else.
    dtype: the element type of the result.

    >>> nd.one_hot(nd.array([1, 0]), depth=3).asnumpy()
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """

    depth: int
    on_value: float = 1.0
    off_value: float = 0.0
    dtype: DType = "float32"
    gradient = None

    def infer_shape(self, indices):
        return [indices], [None if indices is None else (*indices, self.depth)]

    def infer_dtype(self, indices):
        return [indices], [np.dtype(self.dtype)]

    def index_ranges(self, indices):
        return {"indices": (0, self.depth - 1)}

    def forward(self, indices):
        hot = integers_of(indices)[..., None] == np.arange(self.depth)
        on, off = (np.array(v).astype(self.dtype) for v in (self.on_value, self.off_value))
        return np.where(hot, on, off)


@register("condition", "x", "y")
class where(Elementwise):
    """x where condition is not zero, else y.

    condition (as x, or a vector with an element for each row) | x, y (any shape) | out like x

    >>> nd.where(nd.array([1, 0, 1]), nd.array([1, 2, 3]), nd.array([-1, -2, -3])).asnumpy()
    array([ 1., -2.,  3.], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, condition, x, y):
        x = y = self.require("y", y, x)
        if x is not None and condition is not None:
            rows = len(condition) == 1 and len(x) != 1
            condition = self.require("condition", condition, x[:1] if rows else x)
        return [condition, x, y], [x]

    def infer_inputs(self, shapes, outputs):
        condition, x, y = shapes
        return [condition, self.require("x", x, outputs[0]), self.require("y", y, outputs[0])]

    def infer_dtype(self, condition, x, y):
        # `is None`, because numpy.dtype("float64") equals None
        if x is not None and y is not None and x != y:
            raise self.dtype_clash((condition, x, y))
        dtype = y if x is None else x
        return [condition, dtype, dtype], [dtype]

    def forward(self, condition, x, y):
        condition = condition.astype(bool, copy=False)
        return np.where(condition.reshape(condition.shape + (1,) * (x.ndim - condition.ndim)), x, y)

    def gradient(self, F, out_grads, inputs, outputs):
        g, condition = out_grads[0], inputs[0]
        zeros = F.zeros_like(g)
        return [None, F.where(condition, g, zeros), F.where(condition, zeros, g)]
