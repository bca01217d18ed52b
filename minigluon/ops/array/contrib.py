"""Operators that MXNet keeps in `nd.contrib`, and `_histogram`, the operator behind `nd.histogram`."""

import math

import numpy as np

from ...base import ArgumentError
from ..fields import Device, Floats, Shape
from ..linear import Linear, linear
from ..op import Op
from ..registry import register
from ..shapes import is_known, size_of
from .indexing import integers

__all__ = []


@register("data")
class _contrib_arange_like(Op):
    """Evenly spaced numbers with the shape of data, or one for each index of one of its axes. No gradient.

    data (any shape; only the shape matters) | out like data, or with axis (data.shape[axis],)

    start: the first number.
    step: the difference between successive numbers.
    repeat: how many times each number is repeated.
    ctx: no effect; the device is that of data.
    axis: the axis whose length gives the number of elements; None for an array with the shape of data.

    >>> nd.contrib.arange_like(nd.zeros((2, 3))).asnumpy()
    array([[0., 1., 2.],
           [3., 4., 5.]], dtype=float32)
    >>> nd.contrib.arange_like(nd.zeros((2, 3)), start=10, axis=0).asnumpy()
    array([10., 11.], dtype=float32)
    """

    start: float = 0.0
    step: float = 1.0
    repeat: int = 1
    ctx: Device = ""
    axis: int | None = None
    gradient = None

    def infer_shape(self, data):
        if not 1 <= self.repeat < 2 ** 63:
            raise self.shape_clash(f"repeat={self.repeat} must be at least 1, and below 2**63")
        if data is None or self.axis is None:
            return [data], [data]
        return [data], [(data[self.normalize_axis(self.axis, len(data))],)]

    def forward(self, data):
        shape = self.infer_shape(data.shape)[1][0]
        numbers = self.start + np.arange(size_of(shape)) // self.repeat * self.step
        return numbers.astype(data.dtype).reshape(shape)


@register("data")
class _contrib_index_array(Op):
    """The position of each element, as int64. No gradient.

    data (d1 … dN; only the shape matters) | out (d1 … dN, N)

    axes: the axes whose indices are given; None for all.

    >>> nd.contrib.index_array(nd.zeros((2, 2))).asnumpy().tolist()
    [[[0, 0], [0, 1]], [[1, 0], [1, 1]]]
    """

    axes: Shape | None = None
    gradient = None

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        axes = range(len(data)) if self.axes is None else self.axes
        for axis in axes:
            self.normalize_axis(axis, len(data))
        return [data], [(*data, len(axes))]

    def infer_dtype(self, data):
        return [data], [np.dtype("int64")]

    def forward(self, data):
        axes = range(data.ndim) if self.axes is None else [self.normalize_axis(a, data.ndim) for a in self.axes]
        out = np.empty((*data.shape, len(axes)), np.int64)
        for k, axis in enumerate(axes):
            out[..., k] = np.arange(data.shape[axis]).reshape(-1, *[1] * (data.ndim - axis - 1))
        return out


@register("old_tensor", "index_vector", "new_tensor")
class _contrib_index_copy(Op):
    """old_tensor with the rows at index_vector replaced by the rows of new_tensor.

    old_tensor (N, ...) | index_vector (M,) | new_tensor (M, ...) | out (N, ...)

    Raises OutOfRangeError for an index out of range.

    >>> nd.contrib.index_copy(nd.zeros((3, 2)), nd.array([2, 0]), nd.array([[1, 2], [3, 4]])).asnumpy()
    array([[3., 4.],
           [0., 0.],
           [1., 2.]], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, old, index, new):
        if index is not None:
            self.require_rank("index_vector", index, 1)
            new = self.require("new_tensor", new, None if old is None else index + old[1:])
        return [old, index, new], [old]

    def infer_dtype(self, old, index, new):
        return [old, index, new], [old]

    def forward(self, old, index, new):
        out = old.copy()
        out[integers(index, len(old), "raise", self.name)] = new
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        g, (_, index, new) = out_grads[0], inputs
        return [F._contrib_index_copy(g, index, F.zeros_like(new)), None, F.take(g, index)]


@register("data")
class _contrib_div_sqrt_dim(Op):
    """data / √(length of its last axis), the scaling of attention scores.

    data (*lead, d) | out like data

    >>> nd.contrib.div_sqrt_dim(nd.array([2, 4, 6, 8])).asnumpy()
    array([1., 2., 3., 4.], dtype=float32)
    """

    keeps = ()
    in_place = ("data",)

    def infer_shape(self, data):
        self.require_least_rank("data", data, 1)
        return [data], [data]

    def forward(self, data):
        return (data / data.dtype.type(math.sqrt(data.shape[-1]))).astype(data.dtype, copy=False)

    def gradient(self, F, out_grads, inputs, outputs):
        return F._contrib_div_sqrt_dim(out_grads[0])


@linear("data", "index")
class _contrib_boolean_mask(Linear):
    """The slices of data along axis `axis` for which index is not zero. The shape of the result depends on the values.

    data (*lead, n, *rest) | index (n,) | out (*lead, number of nonzeros, *rest)

    axis: the axis of length n.

    >>> nd.contrib.boolean_mask(nd.array([[1, 2], [3, 4], [5, 6]]), nd.array([1, 0, 1])).asnumpy()
    array([[1., 2.],
           [5., 6.]], dtype=float32)
    """

    axis: int = 0
    keeps = ("inputs",)
    dynamic = True

    def infer_shape(self, data, index):
        if data is None:
            return [data, index], [None]
        axis = self.normalize_axis(self.axis, len(data))
        return [data, self.require("index", index, data[axis:axis + 1])], [(*data[:axis], None, *data[axis + 1:])]

    def infer_dtype(self, data, index):
        return [data, index], [data]

    def forward(self, data, index):
        return np.compress(index != 0, data, self.axis)

    def adjoint(self, grad, data, index):
        out = np.zeros(data.shape, grad.dtype)
        chosen = np.flatnonzero(index)[:grad.shape[self.axis]]
        np.moveaxis(out, self.axis, 0)[chosen] = np.moveaxis(grad, self.axis, 0)[:len(chosen)]
        return out


@register("data", "bins")
class _histogram(Op):
    """(counts as int64, edges). The edges are `bins` (n + 1,), or evenly spaced by bin_cnt and range.

    No gradient.
    """

    bin_cnt: int | None = None
    range: Floats | None = None
    num_outputs = 2
    gradient = None

    def list_arguments(self):
        return self.arguments if self.bin_cnt is None else self.arguments[:1]

    def infer_shape(self, data, *bins):
        if self.bin_cnt is not None:
            ends = self.range or ()
            if len(ends) != 2 or not -math.inf < ends[0] <= ends[1] < math.inf or self.bin_cnt < 1:
                raise self.shape_clash(f"bin_cnt={self.bin_cnt} must be positive and come with range=(low, high), "
                                       f"found range={self.range}")
            return [data], [(self.bin_cnt,), (self.bin_cnt + 1,)]
        if self.range is not None:
            raise self.shape_clash(f"range={self.range} comes with bin_cnt, not with edges")
        edges = bins[0]
        if not is_known(edges):
            return [data, edges], [None, edges]
        self.require_rank("bins", edges, 1)
        return [data, edges], [(edges[0] - 1,), edges]

    def infer_dtype(self, data, *bins):
        return [data, *bins], [np.dtype("int64"), data]

    def forward(self, data, *bins):
        if bins and not (bins[0][1:] >= bins[0][:-1]).all():
            raise ArgumentError(f"{self.name}: bins must not decrease, found {bins[0].tolist()}")
        with np.errstate(invalid="ignore"):         # NaN and infinity are not in any bin
            counts, edges = np.histogram(data, bins[0].astype("float64") if bins else self.bin_cnt, self.range)
        return counts.astype(np.int64), edges.astype(data.dtype)
