"""The singular value decomposition. The gradient follows Townsend 2016, "Differentiating the Singular Value
Decomposition".
"""

import numpy as np

from ..registry import register
from .products import Linalg, transposed

__all__ = []


@register("A")
class _linalg_svd(Linalg):
    """Singular values L in descending order, and singular vectors: A = U · diag(L) · V, with k = min(m, n) of them.

    A (*batch, m, n) | outputs: U (*batch, m, k), L (*batch, k), V (*batch, k, n)

    The entry of largest magnitude of each row of V is positive. Gradients of U and V require distinct singular values
    other than 0; that of L does not.

    >>> U, L, V = nd._internal._linalg_svd(nd.array([[3, 0, 0], [0, 2, 0]]))
    >>> L.asnumpy().round(2)
    array([3., 2.], dtype=float32)
    """

    num_outputs = 3
    keeps = ("outputs",)

    def infer_shape(self, A):
        A = self.check_matrix("A", A)
        if A is None:
            return [A], [None, None, None]
        *batch, m, n = A
        k = None if m is None or n is None else min(m, n)
        return [A], [(*batch, m, k), (*batch, k), (*batch, k, n)]

    def forward(self, A):
        U, L, V = self.guarded(lambda a: np.linalg.svd(a, full_matrices=False), A)
        if V.size:
            largest = np.take_along_axis(V, np.abs(V).argmax(axis=-1)[..., None], axis=-1)
            sign = np.where(largest < 0, -1, 1).astype(V.dtype)
            U, V = U * transposed(sign), V * sign
        return np.ascontiguousarray(U), np.ascontiguousarray(L), np.ascontiguousarray(V)

    def gradient(self, F, out_grads, inputs, outputs):
        (dU, dL, dV), (U, L, V) = out_grads, outputs
        squares = F.square(L)
        inverse_gap = _inverse(F, F.broadcast_sub(F.expand_dims(squares, axis=-2), F.expand_dims(squares, axis=-1)))
        values = F.linalg_makediag(L)
        left = _turned(F, inverse_gap, F.linalg_gemm2(U, dU, transpose_a=True))
        right = _turned(F, inverse_gap, F.linalg_gemm2(V, dV, transpose_b=True))
        middle = F.linalg_gemm2(left, values) + F.linalg_gemm2(values, right) + F.linalg_makediag(dL)
        # beyond the directions in U, if A has more rows than columns, and in V, if it has more columns
        inverse = _inverse(F, L)
        scaled = F.broadcast_mul(dU, F.expand_dims(inverse, axis=-2))
        above = scaled - F.linalg_gemm2(U, F.linalg_gemm2(U, scaled, transpose_a=True))
        scaled = F.broadcast_mul(dV, F.expand_dims(inverse, axis=-1))
        beside = scaled - F.linalg_gemm2(F.linalg_gemm2(scaled, V, transpose_b=True), V)
        return F.linalg_gemm2(F.linalg_gemm2(U, middle) + above, V) + F.linalg_gemm2(U, beside)


def _inverse(F, x):
    """Returns 1 / x, and 0 where x is 0."""
    return x / (F.square(x) + (x == 0))


def _turned(F, inverse_gap, product):
    return inverse_gap * (product - F._linalg_transpose(product))
