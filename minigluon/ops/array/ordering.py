"""Operators that order the elements along an axis: sort, argsort and topk. Equal elements keep their order."""

from typing import Literal

import numpy as np

from ...base import DTypeError
from ..fields import DType
from ..op import Op
from ..registry import register

__all__ = ["argsort", "sort", "topk"]


def order(data, axis, is_ascend):
    """Returns positions along `axis` in sorted order, with NaN last in both orders. The sort is stable even when
    descending.
    """
    if is_ascend:
        return np.argsort(data, axis, kind="stable")
    # sorting the reversed axis in ascending order and reversing the result keeps the order of equal elements
    n = data.shape[axis]
    if data.dtype.kind == "f":
        return np.argsort(-data, axis, kind="stable")
    return n - 1 - np.flip(np.argsort(np.flip(data, axis), axis, kind="stable"), axis)


def leading(data, axis, k, is_ascend):
    """Returns the first k positions of `order` along `axis`. A small k is handled without sorting, by selecting the
    positions one at a time. """
    if k * 1024 >= data.size:           # also true if k = size = 0
        return np.take(order(data, axis, is_ascend), np.arange(k), axis)
    lines = np.moveaxis(data, axis, -1).copy()
    best, used = (np.argmin, limits(data.dtype)[1]) if is_ascend else (np.argmax, limits(data.dtype)[0])
    places, values = [], []
    for _ in range(k):
        places.append(best(lines, -1, keepdims=True))
        values.append(np.take_along_axis(lines, places[-1], -1))
        np.put_along_axis(lines, places[-1], used, -1)          # from now on this position sorts last
    values = np.concatenate(values, -1)
    if np.any((values == used) | (values != values)):           # `used` occurs in the data, or the data contain NaN
        return np.take(order(data, axis, is_ascend), np.arange(k), axis)
    return np.moveaxis(np.concatenate(places, -1), -1, axis)


def limits(dtype):
    """Returns the lowest and the highest value of a type."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    return (False, True) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)


class _Order(Op):
    """Base class of the three operators.

    axis: the axis to sort along; None flattens first.
    is_ascend: True for the smallest first, False for the largest.
    dtype: the element type of the positions.
    """

    def line(self, data):
        """Returns (data, axis), with data flattened if axis is None."""
        return (data.ravel(), 0) if self.axis is None else (data, self.normalize_axis(self.axis, data.ndim))

    def line_shape(self, data):
        if self.axis is None:
            return (None if None in data else int(np.prod(data)),), 0
        return data, self.normalize_axis(self.axis, len(data))

    def places_shape(self, data, where):
        """Returns the shape of positions along the axis of data. Lines may have any number of positions."""
        if data is None:
            return where
        line, axis = self.line_shape(data)
        where = self.require("where", where, (*line[:axis], None, *line[axis + 1:]))
        if line[axis] == 0 and 0 not in where:
            raise self.shape_clash(f"data {data} has no elements at the positions {where}", "data")
        return where

    def places_dtype(self, where):
        """Returns the dtype of positions: any integer type."""
        if where is not None and where.kind not in "iu":
            raise DTypeError(f"{self.name}: where is {where}, expected an integer dtype")
        return where


@register("data")
class sort(_Order):
    """The elements in order along an axis. Equal elements keep their order; NaN is last.

    data (any shape) | out like data, or with axis=None (elements of data,)

    >>> nd.sort(nd.array([[3, 1, 2], [6, 5, 4]])).asnumpy()
    array([[1., 2., 3.],
           [4., 5., 6.]], dtype=float32)
    """

    axis: int | None = -1
    is_ascend: bool = True
    keeps = ("inputs",)
    output_names = ("output0",)         # in MXNet the indices are a second, hidden output

    def infer_shape(self, data):
        return [data], [None if data is None else self.line_shape(data)[0]]

    def forward(self, data):
        data, axis = self.line(data)
        return np.take_along_axis(data, order(data, axis, self.is_ascend), axis)

    def gradient(self, F, out_grads, inputs, outputs):
        where = F.argsort(inputs[0], axis=self.axis, is_ascend=self.is_ascend, dtype="int64")
        return F._along_axis_grad(out_grads[0], inputs[0], where, axis=self.axis)


@register("data")
class argsort(_Order):
    """Positions along an axis in the order of their elements. No gradient.

    data (any shape) | out like data, or with axis=None (elements of data,), of type `dtype`

    >>> nd.argsort(nd.array([30, 10, 20])).asnumpy()
    array([1., 2., 0.], dtype=float32)
    """

    axis: int | None = -1
    is_ascend: bool = True
    dtype: DType = "float32"
    gradient = None

    def infer_shape(self, data):
        if data is None:
            return [None], [None]
        shape, axis = self.line_shape(data)
        self.require_positions(shape[axis], self.dtype)
        return [data], [shape]

    def infer_dtype(self, data):
        return [data], [np.dtype(self.dtype)]

    def forward(self, data):
        return order(*self.line(data), self.is_ascend).astype(self.dtype)


@register("data")
class topk(_Order):
    """The k largest elements along an axis, in order; the smallest with is_ascend=True.

    data (*lead, n, *rest) | out (*lead, k, *rest), or with axis=None (k,); like data with ret_typ='mask'

    k: the number of elements; less than 1 selects all.
    ret_typ: 'indices' as `dtype`, 'value', 'both' (values and indices, which have no gradient), or 'mask', an array
        like data with 1 at the selected elements and 0 elsewhere.

    >>> nd.topk(nd.array([10, 30, 20]), k=2).asnumpy()
    array([1., 2.], dtype=float32)
    >>> nd.topk(nd.array([10, 30, 20]), k=2, ret_typ="value").asnumpy()
    array([30., 20.], dtype=float32)
    """

    axis: int | None = -1
    k: int = 1
    ret_typ: Literal["both", "indices", "mask", "value"] = "indices"
    is_ascend: bool = False
    dtype: DType = "float32"
    keeps = ("inputs",)

    @property
    def num_outputs(self):
        return 2 if self.ret_typ == "both" else 1

    @property
    def output_names(self):
        return {"both": ("output0", "output1"), "value": ("output0",)}.get(self.ret_typ, ("output",))

    @property
    def differentiable(self):
        return self.ret_typ in ("both", "value")

    def infer_shape(self, data):
        if data is None:
            return [data], [None] * self.num_outputs
        shape, axis = self.line_shape(data)
        n = shape[axis]
        if n is not None and self.k > n:
            raise self.shape_clash(f"k={self.k} is larger than the {n} elements of axis {self.axis} of data {data}",
                                   "data")
        if self.ret_typ == "mask":
            return [data], [data]
        if self.ret_typ != "value":
            self.require_positions(n, self.dtype)
        out = (*shape[:axis], self.k if self.k > 0 else n, *shape[axis + 1:])
        return [data], [out] * self.num_outputs

    def infer_dtype(self, data):
        index = np.dtype(self.dtype)
        return [data], {"both": [data, index], "indices": [index], "value": [data], "mask": [data]}[self.ret_typ]

    def forward(self, data):
        line, axis = self.line(data)
        count = self.k if self.k > 0 else line.shape[axis]
        where = leading(line, axis, count, self.is_ascend)
        if self.ret_typ == "indices":
            return where.astype(self.dtype)
        if self.ret_typ == "mask":
            mask = np.zeros(line.shape, data.dtype)
            np.put_along_axis(mask, where, 1, axis)
            return mask.reshape(data.shape)
        values = np.take_along_axis(line, where, axis)
        return values if self.ret_typ == "value" else (values, where.astype(self.dtype))

    def gradient(self, F, out_grads, inputs, outputs):
        where = F.topk(inputs[0], axis=self.axis, k=self.k, is_ascend=self.is_ascend, dtype="int64")
        return F._along_axis_grad(out_grads[0], inputs[0], where, axis=self.axis)


@register("data", "where")
class _along_axis(_Order):
    """Elements of data at the positions `where` along `axis`."""

    axis: int | None = -1
    keeps = ("inputs",)

    def infer_shape(self, data, where):
        return [data, self.places_shape(data, where)], [where]

    def infer_dtype(self, data, where):
        return [data, self.places_dtype(where)], [data]

    def forward(self, data, where):
        line, axis = self.line(data)
        return np.take_along_axis(line, where, axis)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._along_axis_grad(out_grads[0], *inputs, axis=self.axis), None]


@register("grad", "data", "where")
class _along_axis_grad(_Order):
    """The adjoint of _along_axis: zeros like data, with grad at the positions `where`, all distinct."""

    axis: int | None = -1
    keeps = ("inputs",)

    def infer_shape(self, grad, data, where):
        where = self.places_shape(data, self.require("where", where, grad))
        return [where, data, where], [data]

    def infer_dtype(self, grad, data, where):
        data = self.require_dtype("grad", grad, data)
        return [data, data, self.places_dtype(where)], [data]

    def forward(self, grad, data, where):
        line, axis = self.line(np.zeros(data.shape, grad.dtype))
        np.put_along_axis(line, where, grad, axis)
        return line.reshape(data.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._along_axis(out_grads[0], inputs[2], axis=self.axis), None, None]
