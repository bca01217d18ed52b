"""Linear algebra: the functions of `np.linalg` that are operators of `nd`. Their rows are named 'linalg.x'."""

from __future__ import annotations

import numpy as onp

from ...base import ArgumentError
from ..table import function
from .common import as_float, as_type, dtype_of, promoted, scalar, shaped
from .reduction import axes_of, reduced


@function("linalg.norm")
def norm(F, x, ord=None, axis=None, keepdims=False):
    """Return the norm of vectors or matrices: the root of the sum of squares by default.

    x (any shape and type) | out like x, without the axes; of integers it is cut to an integer, as in MXNet

    ord: of vectors, a number, inf or -inf; of matrices None, 'fro', 1, -1, inf or -inf.
    axis: one axis for vectors, two for matrices; None for all elements.
    keepdims: True keeps the reduced axes, with length 1.

    Raises ArgumentError for another order.
    """
    length = _norm(F, as_float(F, x), ord, axis, keepdims)
    return length if dtype_of(x).kind == "b" else as_type(F, length, dtype_of(x))


def _norm(F, x, ord, axis, keepdims):
    axes = axes_of("linalg.norm", axis, len(x.shape))
    if ord is None and axis is None and x.shape and x.size and not keepdims:
        return scalar(F, F.norm(x))
    if ord is None or (ord == "fro" and len(axes) == 2) or (ord == 2 and len(axes) == 1):
        return F.sqrt(reduced(F, "sum", F.square(x), axes, keepdims))
    if len(axes) == 1 and not isinstance(ord, str):
        return _vector_norm(F, F.abs(x), ord, axes, keepdims)
    if len(axes) == 2 and ord in (1, -1, onp.inf, -onp.inf):
        first, second = axes if abs(ord) == 1 else axes[::-1]
        sums = F.sum(F.abs(x), axis=first, keepdims=True)
        extreme = reduced(F, "max" if ord > 0 else "min", sums, second, True)
        return extreme if keepdims else shaped(F, extreme, [n for i, n in enumerate(x.shape) if i not in axes])
    raise ArgumentError(f"np.linalg.norm: ord={ord!r} for {len(axes)} axes is not supported; expected None, 'fro', 1, "
                        "-1, inf or -inf for matrices, and a number or an infinity for vectors")


def _vector_norm(F, x, ord, axes, keepdims):
    if ord in (onp.inf, -onp.inf):
        return reduced(F, "max" if ord > 0 else "min", x, axes, keepdims)
    if ord == 0:
        return reduced(F, "sum", as_type(F, F.not_equal(x, 0), x.dtype), axes, keepdims)
    return F.power(reduced(F, "sum", F.power(x, float(ord)), axes, keepdims), 1.0 / ord)


@function("linalg.det")
def det(F, a):
    """Return the determinants of square matrices.

    a (..., n, n) | out (...)
    """
    return shaped(F, F.linalg_det(as_float(F, a)), a.shape[:-2])


@function("linalg.slogdet")
def slogdet(F, a):
    """Return the signs of the determinants, and the logarithms of their absolute values.

    a (..., n, n) | out two arrays (...)
    """
    sign, logarithm = F.linalg_slogdet(as_float(F, a))
    return shaped(F, sign, a.shape[:-2]), shaped(F, logarithm, a.shape[:-2])


@function("linalg.inv")
def inv(F, a):
    """Return the inverses of square matrices.

    a (..., n, n) | out like a
    """
    return F.linalg_inverse(as_float(F, a))


@function("linalg.cholesky")
def cholesky(F, a):
    """Return the lower triangular factors of positive definite matrices.

    a (..., n, n) | out like a
    """
    return F.linalg_potrf(as_float(F, a))


@function("linalg.solve")
def solve(F, a, b):
    """Return x with a·x = b, by the inverse of a.

    a (..., n, n), b (..., n, m) or (n,) | out like b
    """
    a, b = promoted(F, as_float(F, a), as_float(F, b))
    if len(b.shape) == len(a.shape) - 1:
        return shaped(F, F.linalg_gemm2(F.linalg_inverse(a), shaped(F, b, (*b.shape, 1))), b.shape)
    return F.linalg_gemm2(F.linalg_inverse(a), b)


@function("linalg.eigh")
def eigh(F, a, UPLO="L"):
    """Return the eigenvalues of symmetric matrices in ascending order, and the eigenvectors as columns.

    a (..., n, n) | out two arrays, (..., n) and (..., n, n)

    UPLO: must be 'L' or 'U'; both triangles are read.
    """
    rows, values = F.linalg_syevd(as_float(F, a))
    return values, F.swapaxes(rows, dim1=len(a.shape) - 2, dim2=len(a.shape) - 1)


@function("linalg.eigvalsh")
def eigvalsh(F, a, UPLO="L"):
    """Return the eigenvalues of symmetric matrices in ascending order.

    a (..., n, n) | out (..., n)

    UPLO: must be 'L' or 'U'; both triangles are read.
    """
    return eigh(F, a, UPLO)[0]
