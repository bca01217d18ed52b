"""Linear algebra on matrices in the last two axes. The preceding axes are batches and are the same in all inputs.

The gradients follow Seeger, Hetzel, Dai, Meissner, Lawrence 2017, Auto-differentiating linear algebra,
arXiv:1710.08717, written with the operators of this file.
"""


import numpy as np

from ...base import ArgumentError, DTypeError
from ..op import Op
from ..registry import register
from ..remedies import to_multiply
from ..shapes import merge

__all__ = []


def transposed(a):
    """Returns a view with the last two axes exchanged."""
    return np.swapaxes(a, -1, -2)


class Linalg(Op):
    """Helpers for the shape rules of this family. LAPACK computes in float32 and float64."""

    def infer_dtype(self, *dtypes):
        inputs, outputs = super().infer_dtype(*dtypes)
        if any(d is not None and d not in (np.float32, np.float64) for d in inputs):
            raise DTypeError(f"{self.name}: inputs have dtype {inputs[0]}, expected float32 or float64. Convert with "
                             ".astype('float32').")
        return inputs, outputs

    def check_matrix(self, argument, shape, square=False):
        """Raises ShapeError for fewer than two dimensions; completes and checks a square matrix."""
        if shape is None:
            return None
        if len(shape) < 2:
            raise self.shape_clash(f"{argument} has shape {shape}, expected a matrix or a batch of them", argument,
                                   "F.dot takes vectors" if isinstance(self, Product) else None)
        if square:
            side = shape[-1] if shape[-2] is None else shape[-2]
            return self.require(argument, shape, (*shape[:-2], side, side))
        return shape

    def guarded(self, function, *args):
        """Calls NumPy's LAPACK and adds the operator's name to its errors."""
        try:
            with np.errstate(all="ignore"):         # NaN and infinity propagate silently, as they do elsewhere
                return function(*args)
        except np.linalg.LinAlgError as error:
            raise ArgumentError(f"{self.name}: {error}") from None


class Square(Linalg):
    """Base class of operators that take a square matrix and return one of the same shape."""

    def infer_shape(self, A):
        A = self.check_matrix("A", A, square=True)
        return [A], [A]


def scalars(shape):
    """Returns the shape of an array with one number per matrix; (1,) for a single matrix."""
    return shape if shape is None else shape[:-2] or (1,)


# -- products ---------------------------------------------------------------------------------------------------

class Product(Linalg):
    """op(A) · op(B), with rows along `row_axis` and columns along the last axis.

    transpose_a, transpose_b: if True, transpose the first or the second factor; op(A) is A or Aᵀ.
    alpha: the factor of the product.
    beta: the factor of C.
    axis: the axis of the rows; the columns are the last axis.
    forward_stype: no effect.
    """

    row_axis = -2

    def infer_shape(self, A, B):
        names = self.list_arguments()
        for name, shape in zip(names, (A, B), strict=False):
            self.check_matrix(name, shape)
        if A is None or B is None:
            return [A, B], [None]
        if len(A) != len(B):
            raise self.shape_clash(f"{names[1]} has shape {B}, expected {len(A)} dimensions as {names[0]} has",
                                   names[1])
        row = self.normalize_axis(self.row_axis, len(A))
        if row == len(A) - 1:
            raise self.shape_clash(f"axis {self.row_axis} must not be the last axis")
        a, b = ((s[row], s[-1]) for s in (A, B))
        a = a[::-1] if self.transpose_a else a
        b = b[::-1] if self.transpose_b else b
        if merge(a[1:], b[:1]) is False:
            axes = [row - len(A) if self.transpose_a else -1, -1 if self.transpose_b else row - len(B)]
            raise self.shape_clash(f"axis {axes[0]} of {names[0]} {A} has length {a[1]}, but axis {axes[1]} of "
                                   f"{names[1]} {B} has {b[0]}; the product runs over both, so they must be equal",
                                   names[1],
                                   to_multiply(A, B, (-1, row), (row, -1), (self.transpose_a, self.transpose_b)))
        expected = [*A[:-1], b[0] if self.transpose_b else b[1]]
        expected[row] = b[1] if self.transpose_b else a[1]
        expected[-1] = a[1] if self.transpose_b else b[1]
        B = self.require(names[1], B, tuple(expected))
        out = [*A[:-1], b[1]]
        out[row] = a[0]
        return [A, B], [tuple(out)]

    def product(self, A, B):
        if self.row_axis != -2:
            A, B = np.moveaxis(A, self.row_axis, -2), np.moveaxis(B, self.row_axis, -2)
        out = np.matmul(transposed(A) if self.transpose_a else A, transposed(B) if self.transpose_b else B)
        return np.ascontiguousarray(np.moveaxis(out, -2, self.row_axis)) if self.row_axis != -2 else out

    def product_gradient(self, multiply, g, A, B):
        """Returns the gradients of both factors. multiply: the product as an operator from F."""
        a, b = self.transpose_a, self.transpose_b
        dA = (multiply(B, g, transpose_a=b, transpose_b=True) if a else
              multiply(g, B, transpose_a=False, transpose_b=not b))
        dB = (multiply(g, A, transpose_a=True, transpose_b=a) if b else
              multiply(A, g, transpose_a=not a, transpose_b=False))
        return dA, dB


@register("lhs", "rhs")
class batch_dot(Product):
    """op(lhs) · op(rhs) of each pair of matrices.

    lhs (*batch, m, k) | rhs (*batch, k, n) | out (*batch, m, n)

    >>> nd.batch_dot(nd.array([[[1, 2]], [[3, 4]]]), nd.array([[[1], [1]], [[10], [1]]])).asnumpy()
    array([[[ 3.]],
    <BLANKLINE>
           [[34.]]], dtype=float32)
    """

    transpose_a: bool = False
    transpose_b: bool = False
    forward_stype: str | None = None
    keeps = ("inputs",)

    def forward(self, lhs, rhs):
        return self.product(lhs, rhs)

    def gradient(self, F, out_grads, inputs, outputs):
        return self.product_gradient(F.batch_dot, out_grads[0], *inputs)


@register("A", "B", aliases=["linalg_gemm2"])
class _linalg_gemm2(Product):
    """alpha · op(A) · op(B).

    A (*batch, m, k) | B (*batch, k, n) | out (*batch, m, n)

    >>> nd.linalg.gemm2(nd.array([[1, 2]]), nd.array([[3, 4]]), transpose_b=True, alpha=10).asnumpy()
    array([[110.]], dtype=float32)
    """

    transpose_a: bool = False
    transpose_b: bool = False
    alpha: float = 1.0
    axis: int = -2
    keeps = ("inputs",)

    @property
    def row_axis(self):
        return self.axis

    def forward(self, A, B):
        out = self.product(A, B)
        return out if self.alpha == 1 else out * self.alpha

    def gradient(self, F, out_grads, inputs, outputs):
        def multiply(x, y, **flags):
            return F.linalg_gemm2(x, y, alpha=self.alpha, axis=self.axis, **flags)
        return self.product_gradient(multiply, out_grads[0], *inputs)


@register("A", "B", "C", aliases=["linalg_gemm"])
class _linalg_gemm(Product):
    """alpha · op(A) · op(B) + beta · C.

    A (*batch, m, k) | B (*batch, k, n) | C (*batch, m, n) | out like C

    >>> nd.linalg.gemm(nd.array([[1, 2]]), nd.array([[3], [4]]), nd.array([[5]]), beta=10).asnumpy()
    array([[61.]], dtype=float32)
    """

    transpose_a: bool = False
    transpose_b: bool = False
    alpha: float = 1.0
    beta: float = 1.0
    axis: int = -2
    keeps = ("inputs",)

    @property
    def row_axis(self):
        return self.axis

    def infer_shape(self, A, B, C):
        inputs, [out] = super().infer_shape(A, B)
        out = self.require("C", C, out)
        return [*inputs, out], [out]

    def forward(self, A, B, C):
        return self.alpha * self.product(A, B) + self.beta * C

    def gradient(self, F, out_grads, inputs, outputs):
        def multiply(x, y, **flags):
            return F.linalg_gemm2(x, y, alpha=self.alpha, axis=self.axis, **flags)
        g = out_grads[0]
        return [*self.product_gradient(multiply, g, *inputs[:2]), self.beta * g]


@register("A", aliases=["linalg_syrk"])
class _linalg_syrk(Linalg):
    """alpha · A · Aᵀ.

    A (*batch, m, n) | out (*batch, m, m)

    transpose: True for alpha · Aᵀ · A, (*batch, n, n).
    alpha: the factor of the product.

    >>> nd.linalg.syrk(nd.array([[1, 2], [3, 4]])).asnumpy()
    array([[ 5., 11.],
           [11., 25.]], dtype=float32)
    """

    transpose: bool = False
    alpha: float = 1.0
    keeps = ("inputs",)

    def infer_shape(self, A):
        self.check_matrix("A", A)
        side = None if A is None else A[-1] if self.transpose else A[-2]
        return [A], [None if A is None else (*A[:-2], side, side)]

    def forward(self, A):
        return self.alpha * (transposed(A) @ A if self.transpose else A @ transposed(A))

    def gradient(self, F, out_grads, inputs, outputs):
        g = out_grads[0] + F._linalg_transpose(out_grads[0])
        pair = (inputs[0], g) if self.transpose else (g, inputs[0])
        return F.linalg_gemm2(*pair, alpha=self.alpha)


@register("A")
class _linalg_transpose(Linalg):
    """The last two axes exchanged. A (*batch, n, m) | out (*batch, m, n)

    >>> nd.linalg.transpose(nd.array([[1, 2, 3]])).shape
    (3, 1)
    """

    keeps = ()

    def infer_shape(self, A):
        self.check_matrix("A", A)
        return [A], [None if A is None else (*A[:-2], A[-1], A[-2])]

    def forward(self, A):
        return np.array(transposed(A), order="C")

    def gradient(self, F, out_grads, inputs, outputs):
        return F._linalg_transpose(out_grads[0])


def symmetric(F, M):
    """Returns the symmetric matrix whose lower triangle is that of M."""
    half = F._linalg_triangle(M, diagonal=0.5)
    return half + F._linalg_transpose(half)
