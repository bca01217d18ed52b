"""Factorizations, inverses and determinants of matrices in the last two axes. The gradients follow Seeger et al. 2017,
as in `linalg`, and for singular values Townsend 2016, "Differentiating the Singular Value Decomposition".
"""

import numpy as np

from ..registry import register
from .products import Linalg, Square, scalars, symmetric, transposed

__all__ = []


@register("A", aliases=["linalg_potrf"])
class _linalg_potrf(Square):
    """The Cholesky factor: the lower triangular L with A = L · Lᵀ, for a symmetric positive definite A.

    A (*batch, n, n), only one triangle of which is read | out like A

    lower: False for the upper triangular U = Lᵀ with A = Uᵀ · U, computed from the upper triangle of A.

    Raises ArgumentError for a matrix that is not positive definite.

    >>> nd.linalg.potrf(nd.array([[4, 2], [2, 5]])).asnumpy()
    array([[2., 0.],
           [1., 2.]], dtype=float32)
    """

    lower: bool = True
    keeps = ("outputs",)

    def forward(self, A):
        if self.lower:
            return self.guarded(np.linalg.cholesky, A)
        return np.ascontiguousarray(transposed(self.guarded(np.linalg.cholesky, transposed(A))))

    def gradient(self, F, out_grads, inputs, outputs):
        L, g = outputs[0], out_grads[0]
        if not self.lower:
            L, g = F._linalg_transpose(L), F._linalg_transpose(g)
        middle = symmetric(F, F.linalg_gemm2(L, g, transpose_a=True))
        left = F.linalg_trsm(L, middle, transpose=True)
        return F.linalg_trsm(L, left, rightside=True, alpha=0.5)


@register("A", aliases=["linalg_potri"])
class _linalg_potri(Square):
    """(L · Lᵀ)⁻¹ for the lower triangular A = L from potrf.

    A (*batch, n, n) | out like A

    lower: False for an upper triangular A = U: (Uᵀ · U)⁻¹.

    >>> nd.linalg.potri(nd.array([[1, 0], [1, 1]])).asnumpy().round(2)
    array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """

    lower: bool = True
    keeps = ("inputs", "outputs")

    def forward(self, A):
        inverse = self.guarded(np.linalg.inv, np.tril(A if self.lower else transposed(A)))
        return transposed(inverse) @ inverse

    def gradient(self, F, out_grads, inputs, outputs):
        g = out_grads[0] + F._linalg_transpose(out_grads[0])
        product = F.linalg_gemm2(outputs[0], g)
        L = inputs[0] if self.lower else F._linalg_transpose(inputs[0])
        grad = F._linalg_triangle(F.linalg_trsm(L, product, transpose=True, rightside=True, alpha=-1.0))
        return grad if self.lower else F._linalg_transpose(grad)


@register("A", aliases=["linalg_gelqf"])
class _linalg_gelqf(Linalg):
    """A = L · Q, with L lower triangular and the rows of Q orthonormal.

    A (*batch, m, n) with m <= n | outputs: Q (*batch, m, n), L (*batch, m, m)

    >>> A = nd.array([[3, 4]])
    >>> Q, L = nd.linalg.gelqf(A)
    >>> nd.dot(L, Q).asnumpy().round(2), nd.dot(Q, Q, transpose_b=True).asnumpy().round(2)
    (array([[3., 4.]], dtype=float32), array([[1.]], dtype=float32))
    """

    num_outputs = 2
    keeps = ("outputs",)

    def infer_shape(self, A):
        self.check_matrix("A", A)
        if A is not None and None not in A[-2:] and A[-2] > A[-1]:
            raise self.shape_clash(f"A has shape {A}, expected at most as many rows as columns", "A")
        return [A], [A, None if A is None else (*A[:-1], A[-2])]

    def forward(self, A):
        q, r = self.guarded(np.linalg.qr, transposed(A))
        return np.ascontiguousarray(transposed(q)), np.ascontiguousarray(transposed(r))

    def gradient(self, F, out_grads, inputs, outputs):
        (dQ, dL), (Q, L) = out_grads, outputs
        middle = F.linalg_gemm2(L, dL, transpose_a=True) - F.linalg_gemm2(dQ, Q, transpose_b=True)
        return F.linalg_trsm(L, dQ + F.linalg_gemm2(symmetric(F, middle), Q), transpose=True)


@register("A", aliases=["linalg_syevd"])
class _linalg_syevd(Linalg):
    """Eigenvectors as rows of U and eigenvalues L in ascending order: A = Uᵀ · diag(L) · U, for a symmetric A.

    A (*batch, n, n) | outputs: U (*batch, n, n), L (*batch, n)

    The entry of largest magnitude in each eigenvector is positive. Gradients require distinct eigenvalues.

    >>> U, L = nd.linalg.syevd(nd.array([[2, 1], [1, 2]]))
    >>> L.asnumpy().round(2)
    array([1., 3.], dtype=float32)
    """

    num_outputs = 2
    keeps = ("outputs",)

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        return [A], [A, None if A is None else A[:-1]]

    def forward(self, A):
        values, vectors = self.guarded(np.linalg.eigh, A)
        U = np.ascontiguousarray(transposed(vectors))
        if not U.size:
            return U, values
        largest = np.take_along_axis(U, np.abs(U).argmax(axis=-1)[..., None], axis=-1)
        U[np.broadcast_to(largest < 0, U.shape)] *= -1
        return U, values

    def gradient(self, F, out_grads, inputs, outputs):
        (dU, dL), (U, L) = out_grads, outputs
        gap = F.broadcast_sub(F.expand_dims(L, axis=-1), F.expand_dims(L, axis=-2))
        # 1 / (Lᵢ - Lⱼ), and 0 on the diagonal
        inverse_gap = gap / (F.square(gap) + F.linalg_makediag(F.ones_like(L)))
        turned = F.linalg_gemm2(dU, U, transpose_b=True) * inverse_gap
        middle = 0.5 * (turned + F._linalg_transpose(turned)) + F.linalg_makediag(dL)
        return F.linalg_gemm2(F.linalg_gemm2(U, middle, transpose_a=True), U)


# -- determinants and inverses ----------------------------------------------------------------------------------

@register("A")
class _linalg_svd(Linalg):
    """Singular values L in descending order, and singular vectors: A = U · diag(L) · V, with k = min(m, n) of them.

    A (*batch, m, n) | outputs: U (*batch, m, k), L (*batch, k), V (*batch, k, n)

    The entry of largest magnitude in each row of V is positive. Gradients of U and V require distinct singular values
    other than 0; the gradient of L does not.

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
        # the parts outside the span of U, if A has more rows than columns, and outside that of V, if it has more
        # columns
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


@register("A", aliases=["linalg_inverse"])
class _linalg_inverse(Square):
    """A⁻¹, the inverse of each matrix.

    A (*batch, n, n) | out like A

    Raises ArgumentError for a singular matrix.

    >>> nd.linalg.inverse(nd.array([[1, 1], [1, 2]])).asnumpy().round(2)
    array([[ 2., -1.],
           [-1.,  1.]], dtype=float32)
    """

    keeps = ("outputs",)

    def forward(self, A):
        return self.guarded(np.linalg.inv, A)

    def gradient(self, F, out_grads, inputs, outputs):
        B = outputs[0]
        return F.linalg_gemm2(F.linalg_gemm2(B, out_grads[0], transpose_a=True), B, transpose_b=True, alpha=-1.0)


@register("A", aliases=["linalg_det"])
class _linalg_det(Linalg):
    """The determinant of each matrix.

    A (*batch, n, n) | out (*batch,), (1,) for a single matrix

    >>> nd.linalg.det(nd.array([[3, 1], [0, 2]])).asnumpy().round(2)
    array([6.], dtype=float32)
    """

    keeps = ("inputs", "outputs")
    output_names = ("output0",)         # in MXNet the factors are additional hidden outputs

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        return [A], [scalars(A)]

    def forward(self, A):
        return np.asarray(self.guarded(np.linalg.det, A), A.dtype).reshape(scalars(A.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        inverse = F._linalg_transpose(F.linalg_inverse(inputs[0]))
        return F._linalg_scale(inverse, out_grads[0] * outputs[0])


@register("A", aliases=["linalg_slogdet"])
class _linalg_slogdet(Linalg):
    """The determinant's sign, and the logarithm of its absolute value.

    A (*batch, n, n) | two arrays (*batch,), (1,) for a single matrix

    >>> sign, log = nd.linalg.slogdet(nd.array([[0, 1], [1, 0]]))
    >>> sign.asnumpy(), log.asnumpy()
    (array([-1.], dtype=float32), array([0.], dtype=float32))
    """

    num_outputs = 2
    keeps = ("inputs",)

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        return [A], [scalars(A)] * 2

    def forward(self, A):
        return tuple(np.asarray(x, A.dtype).reshape(scalars(A.shape)) for x in self.guarded(np.linalg.slogdet, A))

    def gradient(self, F, out_grads, inputs, outputs):
        return F._linalg_scale(F._linalg_transpose(F.linalg_inverse(inputs[0])), out_grads[1])


@register("A", aliases=["linalg_sumlogdiag"])
class _linalg_sumlogdiag(Linalg):
    """The sum of the logarithms of the diagonal; for a factor from potrf, half the logarithm of the determinant.

    A (*batch, n, n) | out (*batch,), (1,) for a single matrix

    >>> nd.linalg.sumlogdiag(nd.array([[1, 5], [5, 10]])).asnumpy().round(2)
    array([2.3], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        return [A], [scalars(A)]

    def forward(self, A):
        return np.add.reduce(np.log(np.diagonal(A, axis1=-2, axis2=-1)), axis=-1).reshape(scalars(A.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        inverse = F.linalg_makediag(F.reciprocal(F.linalg_extractdiag(inputs[0])))
        # a gradient of infinity times the zeros outside the diagonal is NaN
        return F.linalg_makediag(F.linalg_extractdiag(F._linalg_scale(inverse, out_grads[0])))


@register("A", "s")
class _linalg_scale(Linalg):
    """Multiplies each matrix by its own factor. A (*batch, n, m) | s (*batch,), (1,) for a single matrix | out like A

    >>> nd.linalg.scale(nd.array([[1, 2], [3, 4]]), nd.array([10])).asnumpy()
    array([[10., 20.],
           [30., 40.]], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, A, s):
        return [A, self.require("s", s, scalars(A))], [A]

    def forward(self, A, s):
        return A * (s[..., None, None] if A.ndim > 2 else s[0])

    def gradient(self, F, out_grads, inputs, outputs):
        g, (A, s) = out_grads[0], inputs
        return F._linalg_scale(g, s), F._linalg_inner(g, A)


@register("A", "B")
class _linalg_inner(Linalg):
    """The sum of the elementwise product of A and B. A and B (*batch, n, m) | out (*batch,), (1,) for a single pair

    >>> nd.linalg.inner(nd.array([[1, 2], [3, 4]]), nd.array([[1, 0], [0, 1]])).asnumpy()
    array([5.], dtype=float32)
    """

    keeps = ("inputs",)

    def infer_shape(self, A, B):
        A = self.require("B", B, A)
        self.require_least_rank("A", A, 2)
        return [A, A], [scalars(A)]

    def forward(self, A, B):
        return np.add.reduce(A * B, axis=(-2, -1)).reshape(scalars(A.shape))

    def gradient(self, F, out_grads, inputs, outputs):
        return F._linalg_scale(inputs[1], out_grads[0]), F._linalg_scale(inputs[0], out_grads[0])
