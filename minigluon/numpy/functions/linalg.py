"""Linear algebra: the functions of `np.linalg` that are operators of `nd`. Their rows are named 'linalg.x'."""

from __future__ import annotations

import itertools
import math
import operator

import numpy as onp

from ...base import ArgumentError
from ..table import function
from .common import as_float, as_type, axis_of, device_of, dtype_of, is_number, named_results, promoted, scalar, shaped
from .indexing import diagonal
from .products import dot, matmul
from .reduction import axes_of, reduced, sum_
from .shape import moveaxis, transpose


@function("linalg.norm")
def norm(F, x, ord=None, axis=None, keepdims=False):
    """Return the norm of vectors or matrices, by default the square root of the sum of squares.

    x (any shape and type) | out like x, without the axes; for integers it is truncated to an integer, as in MXNet

    ord: for vectors, a number, inf or -inf; for matrices None, 'fro', 1, -1, inf or -inf.
    axis: one axis for vectors, two for matrices; None for all elements.
    keepdims: True keeps the reduced axes, with length 1.

    Raises ArgumentError for any other order.

    >>> np.linalg.norm(np.array([[3, 4], [6, 8]]), axis=1)
    array([ 5., 10.])
    """
    length = _norm(F, as_float(F, x), ord, axis, keepdims)
    return length if dtype_of(x).kind == "b" else as_type(F, length, dtype_of(x))


def _norm(F, x, ord, axis, keepdims):
    axes = axes_of("linalg.norm", axis, len(x.shape))
    ord = float(ord) if ord in ("inf", "-inf") else ord
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
    if len(axes) == 2 and ord in _OF_SINGULAR_VALUES:
        values = svdvals(F, moveaxis(F, x, axes, (-2, -1)))
        found = reduced(F, _OF_SINGULAR_VALUES[ord], values, -1, False)
        return shaped(F, found, [1 if i in axes else n for i, n in enumerate(x.shape)]) if keepdims else found
    raise ArgumentError(f"np.linalg.norm: ord={ord!r} for {len(axes)} axes is not supported; expected None, 'fro', "
                        "'nuc', 1, 2, inf or a negative for matrices, and a number or an infinity for vectors")


_OF_SINGULAR_VALUES = {"nuc": "sum", 2: "max", -2: "min"}


def _vector_norm(F, x, ord, axes, keepdims):
    if ord in (onp.inf, -onp.inf):
        return reduced(F, "max" if ord > 0 else "min", x, axes, keepdims)
    if ord == 0:
        return reduced(F, "sum", as_type(F, F.not_equal(x, 0), x.dtype), axes, keepdims)
    if ord == 2:
        return F.sqrt(reduced(F, "sum", F.square(x), axes, keepdims))
    return F.power(reduced(F, "sum", F.power(x, float(ord)), axes, keepdims), 1.0 / ord)


@function("linalg.vector_norm")
def vector_norm(F, x, axis=None, keepdims=False, ord=2):
    """Return the norm of the vectors along axes, of all elements if `axis` is None. MXNet 1.9.1 lacks it.

    x (any shape) | out like x, float32 for integers, without the axes

    ord: the power of the elements in the sum, or an infinity.

    >>> np.linalg.vector_norm(np.array([[3, 4], [6, 8]]), axis=1)
    array([ 5., 10.])
    """
    return _vector_norm(F, F.abs(as_float(F, x)), float(ord), axes_of("linalg.vector_norm", axis, len(x.shape)),
                        keepdims)


@function("linalg.matrix_norm")
def matrix_norm(F, x, keepdims=False, ord="fro"):
    """Return the norm of the matrices in the last two axes. MXNet 1.9.1 lacks it.

    x (..., m, n) | out (...), float32 for integers

    ord: 'fro', 'nuc', or 1, 2, infinity and their negatives.

    >>> np.linalg.matrix_norm(np.array([[3, 0], [4, 0]]))
    array(5.)
    """
    return _norm(F, as_float(F, x), ord, (-2, -1), keepdims)


@function("linalg.diagonal")
def matrix_diagonal(F, x, offset=0):
    """Return the diagonals of the matrices in the last two axes. MXNet 1.9.1 lacks it.

    x (..., m, n) | out (..., the length of the diagonal)

    >>> np.linalg.diagonal(np.array([[1, 2], [3, 4]]))
    array([1., 4.])
    """
    return diagonal(F, x, offset, -2, -1)


@function("linalg.trace")
def matrix_trace(F, x, offset=0, dtype=None):
    """Return the sums of the diagonals of the matrices in the last two axes. MXNet 1.9.1 lacks it.

    x (..., m, n) | out (...)

    dtype: of the sum.

    >>> np.linalg.trace(np.array([[1, 2], [3, 4]]))
    array(5.)
    """
    return sum_(F, matrix_diagonal(F, x, offset), -1, dtype)


@function("linalg.det")
def det(F, a):
    """Return the determinants of square matrices.

    a (..., n, n) | out (...)

    >>> np.linalg.det(np.array([[2, 0], [1, 3]]))
    array(6.)
    """
    return shaped(F, F.linalg_det(as_float(F, a)), a.shape[:-2])


@function("linalg.slogdet")
def slogdet(F, a):
    """Return the signs of the determinants, and the logarithms of their absolute values.

    a (..., n, n) | out two arrays (...)

    >>> np.linalg.slogdet(np.array([[0, 1], [1, 0]]))
    (array(-1.), array(0.))
    """
    sign, logarithm = F.linalg_slogdet(as_float(F, a))
    return named_results("sign", "logabsdet")(shaped(F, sign, a.shape[:-2]), shaped(F, logarithm, a.shape[:-2]))


@function("linalg.inv")
def inv(F, a):
    """Return the inverses of square matrices.

    a (..., n, n) | out like a

    >>> np.linalg.inv(np.array([[2, 0], [0, 4]]))
    array([[0.5 , 0.  ],
           [0.  , 0.25]])
    """
    return F.linalg_inverse(as_float(F, a))


@function("linalg.cholesky")
def cholesky(F, a):
    """Return the lower triangular factors of positive definite matrices.

    a (..., n, n) | out like a

    >>> np.linalg.cholesky(np.array([[4, 2], [2, 10]]))
    array([[2., 0.],
           [1., 3.]])
    """
    return F.linalg_potrf(as_float(F, a))


@function("linalg.solve")
def solve(F, a, b):
    """Return the x for which a·x = b, computed with the inverse of a.

    a (..., n, n), b (..., n, m), (..., n) or (n,) | out like b, with the leading axes broadcast

    >>> np.linalg.solve(np.array([[2, 0], [0, 4]]), np.array([2, 2]))
    array([1. , 0.5])
    """
    a, b = promoted(F, as_float(F, a), as_float(F, b))
    if 1 < len(b.shape) == len(a.shape) - 1:
        return shaped(F, matmul(F, F.linalg_inverse(a), shaped(F, b, (*b.shape, 1))), b.shape)
    return matmul(F, F.linalg_inverse(a), b)


@function("linalg.eigh")
def eigh(F, a, UPLO="L"):
    """Return the eigenvalues of symmetric matrices in ascending order, and the eigenvectors as columns.

    a (..., n, n) | out two arrays, (..., n) and (..., n, n)

    UPLO: must be 'L' or 'U'; both triangles are read.

    >>> values, vectors = np.linalg.eigh(np.array([[0, 2], [2, 0]]))
    >>> values.round(3), vectors.shape
    (array([-2.,  2.]), (2, 2))
    """
    rows, values = F.linalg_syevd(as_float(F, a))
    columns = F.swapaxes(rows, dim1=len(a.shape) - 2, dim2=len(a.shape) - 1)
    return named_results("eigenvalues", "eigenvectors")(values, columns)


@function("linalg.eigvalsh")
def eigvalsh(F, a, UPLO="L"):
    """Return the eigenvalues of symmetric matrices in ascending order.

    a (..., n, n) | out (..., n)

    UPLO: must be 'L' or 'U'; both triangles are read.

    >>> np.linalg.eigvalsh(np.array([[0, 2], [2, 0]])).round(3)
    array([-2.,  2.])
    """
    return eigh(F, a, UPLO)[0]


@function("linalg.svd")
def svd(F, a):
    """Return the singular value decomposition a = u · diag(s) · v, with min(m, n) singular values in descending order.

    a (..., m, n) | out three arrays, u (..., m, k), s (..., k) and v (..., k, n)

    The sign of the vectors is arbitrary; here the entry of largest magnitude in each row of v is positive. NumPy
    returns more vectors by default (full_matrices=True).

    >>> u, s, v = np.linalg.svd(np.array([[3, 0, 0], [0, 5, 0]]))
    >>> s, u.shape, v.shape
    (array([5., 3.]), (2, 2), (2, 3))
    """
    return named_results("U", "S", "Vh")(*F._linalg_svd(as_float(F, a)))


@function("linalg.svdvals")
def svdvals(F, x):
    """Return the singular values in descending order. MXNet 1.9.1 lacks it.

    x (..., m, n) | out (..., min(m, n))

    >>> np.linalg.svdvals(np.array([[3, 0], [0, 5]]))
    array([5., 3.])
    """
    return svd(F, x)[1]


@function("linalg.pinv")
def pinv(F, a, rcond=1e-15, hermitian=False, rtol=None):
    """Return the pseudo-inverses of matrices, from their singular values.

    a (..., m, n) | out (..., n, m)

    rcond, rtol: singular values below rcond times the largest one count as 0, a number or an array with one for each
        matrix; rtol is its name in NumPy 2.
    hermitian: no effect.

    >>> np.linalg.pinv(np.array([[2, 0], [0, 0]])).round(3)
    array([[0.5, 0. ],
           [0. , 0. ]])
    """
    if 0 in a.shape[-2:]:
        return as_float(F, F.swapaxes(a, dim1=-2, dim2=-1))
    u, s, v = svd(F, a)
    rcond = rcond if rtol is None else rtol
    least, largest = float(onp.finfo(dtype_of(s)).eps), reduced(F, "max", s, -1, True)
    if is_number(rcond):
        smallest = F.multiply(largest, max(rcond, least))
    else:
        factors = F.maximum(as_type(F, rcond, dtype_of(s)), least)
        smallest = F.broadcast_mul(largest, shaped(F, factors, (*factors.shape, 1)))
    is_large = F.broadcast_greater(s, smallest)
    inverse = F.where(is_large, F.divide(1.0, F.where(is_large, s, F.ones_like(s))), F.zeros_like(s))
    scaled = F.broadcast_mul(u, shaped(F, inverse, (*s.shape[:-1], 1, s.shape[-1])))
    return F.linalg_gemm2(v, scaled, transpose_a=True, transpose_b=True)


@function("linalg.qr")
def qr(F, a, mode="reduced"):
    """Return matrices q with orthonormal columns and upper triangular matrices r: a = q · r.

    a (..., m, n) | out two arrays, (..., m, k) and (..., k, n) with k = min(m, n)

    mode: 'r' returns only r.

    >>> q, r = np.linalg.qr(np.array([[3, 1], [4, 2]]))
    >>> np.dot(q, r).round(3)
    array([[3., 1.],
           [4., 2.]])
    """
    if mode not in ("reduced", "r"):
        raise ArgumentError(f"np.linalg.qr: mode is {mode!r}, expected 'reduced' or 'r'")
    a = as_float(F, a)
    ndim, (m, n) = len(a.shape), a.shape[-2:]
    square = a if n <= m else F.slice_axis(a, axis=ndim - 1, begin=0, end=m)
    rows, lower = F.linalg_gelqf(F.swapaxes(square, dim1=ndim - 2, dim2=ndim - 1))
    q = F.swapaxes(rows, dim1=ndim - 2, dim2=ndim - 1)
    r = F.swapaxes(lower, dim1=ndim - 2, dim2=ndim - 1) if n <= m else F.linalg_gemm2(q, a, transpose_a=True)
    return r if mode == "r" else named_results("Q", "R")(q, r)


@function("linalg.tensorinv")
def tensorinv(F, a, ind=2):
    """Return the inverse of the product with a, for which tensordot(tensorinv(a, ind), tensordot(a, x, ...), ind) is x.

    a (the product of the first `ind` lengths equals that of the others) | out with shape a.shape[ind:] + a.shape[:ind]

    ind: the number of first axes.

    Raises ArgumentError if ind is not positive.

    >>> np.linalg.tensorinv(np.eye(6).reshape(6, 2, 3), ind=1).shape
    (2, 3, 6)
    """
    if ind < 1:
        raise ArgumentError(f"np.linalg.tensorinv: ind must be positive, found {ind}")
    rows = math.prod(a.shape[:ind])
    return shaped(F, inv(F, shaped(F, a, (rows, a.size // max(rows, 1)))), (*a.shape[ind:], *a.shape[:ind]))


@function("linalg.tensorsolve")
def tensorsolve(F, a, b, axes=None):
    """Return x with tensordot(a, x, x.ndim) = b.

    a (b.shape + x.shape), b (any shape) | out the last axes of a

    axes: the axes of a that are first moved to its end.

    >>> np.linalg.tensorsolve(2 * np.eye(2).reshape(2, 1, 2), np.array([2, 4]))
    array([[1., 2.]])
    """
    ndim = len(a.shape)
    if axes is not None:
        moved = [axis_of("linalg.tensorsolve", i, ndim) for i in axes]
        a = transpose(F, a, [*[i for i in range(ndim) if i not in moved], *moved])
    shape = a.shape[len(b.shape):]
    size = math.prod(shape)
    return shaped(F, solve(F, shaped(F, a, (a.size // max(size, 1), size)), shaped(F, b, (b.size,))), shape)


@function("linalg.matrix_power")
def matrix_power(F, a, n):
    """Return the matrices raised to the power n; for a negative n, their inverses are multiplied.

    a (..., m, m) | out like a

    n: an integer.

    >>> np.linalg.matrix_power(np.array([[1, 1], [0, 1]]), 3)
    array([[1., 3.],
           [0., 1.]])
    """
    n = operator.index(n)
    base, count = (inv(F, a), -n) if n < 0 else (a, n)
    power = None
    while count:                        # the binary digits of n
        if count % 2:
            power = base if power is None else matmul(F, power, base)
        count //= 2
        base = matmul(F, base, base) if count else base
    if power is None:
        power = F.broadcast_add(F.zeros_like(a), as_type(F, F._eye(N=a.shape[-1], **device_of(a)), a.dtype))
    return power


@function("linalg.multi_dot")
def multi_dot(F, arrays):
    """Return the product of two or more matrices; the neighbors whose product is cheapest are multiplied first.

    arrays (matrices; the first and the last may be vectors) | out with the common type

    >>> np.linalg.multi_dot([np.ones((2, 9)), np.ones((9, 1)), np.ones((1, 3))])
    array([[9., 9., 9.],
           [9., 9., 9.]])
    """
    arrays = list(arrays)
    if len(arrays) < 2:
        raise ArgumentError(f"np.linalg.multi_dot: expected at least two arrays, found {len(arrays)}")
    while len(arrays) > 1:
        costs = [math.prod(x.shape) * math.prod(y.shape[1:]) for x, y in itertools.pairwise(arrays)]
        i = costs.index(min(costs))
        arrays[i:i + 2] = [dot(F, arrays[i], arrays[i + 1])]
    return arrays[0]
