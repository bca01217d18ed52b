"""Operators that extract diagonals and triangles of matrices in the last two axes, or build matrices from them."""

import math

import numpy as np

from ..registry import register
from .products import Linalg

__all__ = []


@register("A", aliases=["linalg_extractdiag"])
class _linalg_extractdiag(Linalg):
    """A diagonal of square matrices.

    A (*batch, n, n) | out (*batch, n - |offset|)

    offset: 0 is the main diagonal, 1 the one above it, -1 the one below.

    >>> nd.linalg.extractdiag(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 4.], dtype=float32)
    """

    offset: int = 0
    keeps = ()

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        if A is None or A[-1] is None:
            return [A], [None]
        if abs(self.offset) >= A[-1]:
            raise self.shape_clash(f"offset {self.offset} is out of range for A of shape {A}")
        return [A], [(*A[:-2], A[-1] - abs(self.offset))]

    def forward(self, A):
        return np.array(np.diagonal(A, self.offset, axis1=-2, axis2=-1), order="C")

    def gradient(self, F, out_grads, inputs, outputs):
        return F.linalg_makediag(out_grads[0], offset=self.offset)


@register("A", aliases=["linalg_makediag"])
class _linalg_makediag(Linalg):
    """Square matrices with A on a diagonal and zeros elsewhere.

    A (*batch, n) | out (*batch, n + |offset|, n + |offset|)

    offset: 0 is the main diagonal, 1 the one above it, -1 the one below.

    >>> nd.linalg.makediag(nd.array([1, 4])).asnumpy()
    array([[1., 0.],
           [0., 4.]], dtype=float32)
    """

    offset: int = 0
    keeps = ()

    def infer_shape(self, A):
        side = None if A is None or A[-1] is None else A[-1] + abs(self.offset)
        return [A], [None if A is None else (*A[:-1], side, side)]

    def forward(self, A):
        side = A.shape[-1] + abs(self.offset)
        out = np.zeros((*A.shape[:-1], side, side), A.dtype)
        index = np.arange(A.shape[-1])
        out[..., index + max(-self.offset, 0), index + max(self.offset, 0)] = A
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return F.linalg_extractdiag(out_grads[0], offset=self.offset)


class Trian(Linalg):
    """A triangle as a vector: lower triangles row by row, upper triangles column by column.

    offset: the diagonal that bounds the triangle; 1, 2, ... select it and everything above, -1, -2, ... it and
        everything below.
    lower: if offset is 0, True selects the lower triangle, False the upper one.
    """

    keeps = ()

    def indices(self, side):
        """Returns the rows and columns of the triangle in a square matrix of this size."""
        if self.offset < 0 or (self.offset == 0 and self.lower):
            return np.tril_indices(side, self.offset)
        return np.tril_indices(side, -self.offset)[::-1]


@register("A", aliases=["linalg_extracttrian"])
class _linalg_extracttrian(Trian):
    """A triangle of square matrices as vectors: lower triangles row by row, upper triangles column by column.

    A (*batch, n, n) | out (*batch, k · (k + 1) / 2) with k = n - |offset|

    >>> nd.linalg.extracttrian(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([1., 3., 4.], dtype=float32)
    """

    offset: int = 0
    lower: bool = True

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        if A is None or A[-1] is None:
            return [A], [None]
        k = A[-1] - abs(self.offset)
        if k < 1:
            raise self.shape_clash(f"offset {self.offset} is out of range for A of shape {A}")
        return [A], [(*A[:-2], k * (k + 1) // 2)]

    def forward(self, A):
        return np.ascontiguousarray(A[(..., *self.indices(A.shape[-1]))])

    def gradient(self, F, out_grads, inputs, outputs):
        return F.linalg_maketrian(out_grads[0], **self.attributes)


@register("A", aliases=["linalg_maketrian"])
class _linalg_maketrian(Trian):
    """Square matrices with the vectors of A in a triangle, in extracttrian's order, and zeros elsewhere.

    A (*batch, k · (k + 1) / 2) | out (*batch, n, n) with n = k + |offset|

    >>> nd.linalg.maketrian(nd.array([1, 3, 4])).asnumpy()
    array([[1., 0.],
           [3., 4.]], dtype=float32)
    """

    offset: int = 0
    lower: bool = True

    def side(self, length):
        k = (math.isqrt(8 * length + 1) - 1) // 2
        if k * (k + 1) // 2 != length:
            raise self.shape_clash(f"A has {length} elements in its last axis, which do not fill a triangle", "A")
        return k + abs(self.offset)

    def infer_shape(self, A):
        if A is None:
            return [A], [None]
        side = None if A[-1] is None else self.side(A[-1])
        return [A], [(*A[:-1], side, side)]

    def forward(self, A):
        side = self.side(A.shape[-1])
        out = np.zeros((*A.shape[:-1], side, side), A.dtype)
        out[(..., *self.indices(side))] = A
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return F.linalg_extracttrian(out_grads[0], **self.attributes)
