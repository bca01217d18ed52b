"""Triangles of matrices, and products with triangular matrices and their inverses.

The gradients follow Seeger et al. 2017, as in `products`.
"""

import numpy as np

from ..registry import register
from .products import Linalg, Square, transposed

__all__ = []


def triangle(a, lower):
    """Returns a copy with zeros above or below the diagonal."""
    return np.tril(a) if lower else np.triu(a)


def substituted(A, B, lower):
    """Solves A · X = B for a triangular A row by row, using the rows above (or below), which are already known."""
    rows = range(A.shape[-1])
    if not np.diagonal(A, axis1=-2, axis2=-1).all():
        raise np.linalg.LinAlgError("Singular matrix")
    X = np.empty_like(B)
    for i in rows if lower else reversed(rows):
        previous = slice(0, i) if lower else slice(i + 1, None)
        sums = B[..., i, :] - (A[..., i, None, previous] @ X[..., previous, :])[..., 0, :]
        X[..., i, :] = sums / A[..., i, i, None]
    return X


class Triangular(Linalg):
    """A (*batch, n, n), only one triangle of which is used; B (*batch, n, m), or (*batch, m, n) with rightside=True.

    transpose: if True, use Aᵀ for op(A); if False, use A.
    rightside: if True, put op(A) on the right.
    lower: if True, use the lower triangle of A, otherwise the upper one.
    alpha: the factor of B.
    """

    keeps = ("inputs",)

    def infer_shape(self, A, B):
        A, B = self.check_matrix("A", A, square=True), self.check_matrix("B", B)
        if A is not None and B is not None:
            expected = (*A[:-2], B[-2], A[-1]) if self.rightside else (*A[:-2], A[-1], B[-1])
            B = self.require("B", B, expected)
        return [A, B], [B]

    def matrix(self, A):
        """Returns op(A) with zeros in the other triangle."""
        A = triangle(A, self.lower)
        return transposed(A) if self.transpose else A

    @property
    def adjoint(self):
        return {**self.attributes, "transpose": not self.transpose}


@register("A", "B", aliases=["linalg_trmm"])
class _linalg_trmm(Triangular):
    """alpha · op(A) · B, or alpha · B · op(A) with rightside=True, for a triangular A.

    A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

    >>> nd.linalg.trmm(nd.array([[1, 0], [2, 3]]), nd.array([[1], [10]])).asnumpy()
    array([[ 1.],
           [32.]], dtype=float32)
    """

    transpose: bool = False
    rightside: bool = False
    lower: bool = True
    alpha: float = 1.0

    def forward(self, A, B):
        A = self.matrix(A)
        return self.alpha * (B @ A if self.rightside else A @ B)

    def gradient(self, F, out_grads, inputs, outputs):
        g, (A, B) = out_grads[0], inputs
        left, right = (B, g) if self.rightside != self.transpose else (g, B)
        flags = {"transpose_a": self.rightside, "transpose_b": not self.rightside}
        dA = F.linalg_gemm2(left, right, alpha=self.alpha, **flags)
        return F._linalg_triangle(dA, lower=self.lower), F.linalg_trmm(A, g, **self.adjoint)


@register("A", "B", aliases=["linalg_trsm"])
class _linalg_trsm(Triangular):
    """The solution X of op(A) · X = alpha · B, or of X · op(A) = alpha · B with rightside=True, for a triangular A.

    A (*batch, n, n) | B (*batch, n, m), with rightside=True (*batch, m, n) | out like B

    Raises ArgumentError for a zero on the diagonal of A.

    >>> nd.linalg.trsm(nd.array([[1, 0], [2, 4]]), nd.array([[1], [10]])).asnumpy()
    array([[1.],
           [2.]], dtype=float32)
    """

    transpose: bool = False
    rightside: bool = False
    lower: bool = True
    alpha: float = 1.0
    keeps = ("inputs", "outputs")

    def forward(self, A, B):
        A, B, lower = self.matrix(A), self.alpha * B, self.lower != self.transpose
        if self.rightside:          # X A = B is Aᵀ Xᵀ = Bᵀ
            X = transposed(self.guarded(substituted, transposed(A), transposed(B), not lower))
        else:
            X = self.guarded(substituted, A, B, lower)
        return np.ascontiguousarray(X)

    def gradient(self, F, out_grads, inputs, outputs):
        (A, _), X = inputs, outputs[0]
        dB = F.linalg_trsm(A, out_grads[0], **self.adjoint)
        left, right = (X, dB) if self.rightside != self.transpose else (dB, X)
        flags = {"transpose_a": self.rightside, "transpose_b": not self.rightside}
        # dB and X include the factor alpha: if alpha is 0, both are 0
        dA = F.linalg_gemm2(left, right, alpha=-1 / self.alpha if self.alpha else 1.0, **flags)
        return F._linalg_triangle(dA, lower=self.lower), dB


@register("A")
class _linalg_triangle(Square):
    """A triangle of each matrix, with zeros elsewhere. This operator is its own adjoint. A (*batch, n, n) | out like A

    lower: True for the lower triangle.
    diagonal: the factor of the diagonal.

    >>> nd.linalg.triangle(nd.array([[1, 2], [3, 4]]), diagonal=0.5).asnumpy()
    array([[0.5, 0. ],
           [3. , 2. ]], dtype=float32)
    """

    lower: bool = True
    diagonal: float = 1.0
    keeps = ()

    def forward(self, A):
        out = triangle(A, self.lower)
        if self.diagonal != 1:
            index = np.arange(A.shape[-1])
            out[..., index, index] *= self.diagonal
        return out

    def gradient(self, F, out_grads, inputs, outputs):
        return F._linalg_triangle(out_grads[0], **self.attributes)
