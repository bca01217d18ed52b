"""Storage operators for graphs and dense arrays. `nd.sparse` has rules for sparse arrays."""

from typing import Literal

import numpy as np

from ..linear import Linear, linear
from ..op import Op
from ..registry import register
from .indexing import integers

__all__ = ["cast_storage"]


@register("data")
class cast_storage(Op):
    """data converted to a different storage type. In graphs, where all arrays are dense, the result is data itself.

    data (any shape) | out like data

    stype: 'default' for a dense array, 'row_sparse' or 'csr' for a sparse one.

    >>> nd.cast_storage(nd.array([[0, 0], [1, 2]]), "row_sparse").indices.asnumpy()
    array([1])
    """

    stype: Literal["csr", "default", "row_sparse"]
    keeps = ()

    def forward(self, data):
        return data.copy()

    def gradient(self, F, out_grads, inputs, outputs):
        return [out_grads[0]]


@linear("data", "indices")
class _sparse_retain(Linear):
    """data with zeros in all rows except those listed in indices. data (N, *rest) | indices (K,) | out like data

    Raises OutOfRangeError for an index out of range.

    >>> nd._sparse_retain(nd.ones((3, 2)), nd.array([1])).asnumpy()
    array([[0., 0.],
           [1., 1.],
           [0., 0.]], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, data, indices):
        self.require_rank("indices", indices, 1)
        return [data, indices], [data]

    def infer_inputs(self, shapes, outputs):
        return [self.require("data", shapes[0], outputs[0]), shapes[1]]

    def infer_dtype(self, data, indices):
        return [data, indices], [data]

    def forward(self, data, indices):
        rows, out = integers(indices, len(data), "raise", self.name), np.zeros_like(data)
        out[rows] = data[rows]
        return out

    def adjoint(self, grad, data, indices):
        return self.forward(grad, indices)
