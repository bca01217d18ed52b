"""The Khatri-Rao product of matrices."""

import math

import numpy as np

from ..array.shape import require_short_axes
from ..numeric import sum_along
from ..op import Op
from ..registry import register

__all__ = ["khatri_rao"]


def _along(matrices, shape):
    """Returns each matrix (n_i, k) reshaped to (1, ..., n_i, ..., 1, k), so that they broadcast to `shape`."""
    count = len(matrices)
    return [m.reshape(*[n if j == i else 1 for j, n in enumerate(shape[:-1])], shape[-1])
            for i, m in zip(range(count), matrices, strict=True)]


@register("*args")
class khatri_rao(Op):
    """A matrix whose columns are the Kronecker products of the inputs' corresponding columns.

    args (n_0, k), (n_1, k), ... | out (n_0 · n_1 · ..., k)

    >>> nd.khatri_rao(nd.array([[1, 2], [3, 4]]), nd.array([[1, 10]])).asnumpy()
    array([[ 1., 20.],
           [ 3., 40.]], dtype=float32)
    """

    num_args: int = 1
    keeps = ("inputs",)

    def infer_shape(self, *shapes):
        for name, shape in zip(self.argument_names(len(shapes)), shapes, strict=True):
            self.require_rank(name, shape, 2)
        if None in shapes:
            return list(shapes), [None]
        columns = (None, None)
        for name, shape in zip(self.argument_names(len(shapes)), shapes, strict=True):
            columns = (None, self.require(name, shape, columns)[1])
        rows = [shape[0] for shape in shapes]
        out = None if None in rows else math.prod(rows), columns[1]
        require_short_axes(self, out)
        return list(shapes), [out]

    def forward(self, *args):
        shape = (*[m.shape[0] for m in args], args[0].shape[1])
        out = np.ones(shape, args[0].dtype)
        for matrix in _along(args, shape):
            out *= matrix
        return out.reshape(math.prod(shape[:-1]), shape[-1])

    def gradient(self, F, out_grads, inputs, outputs):
        return [F._khatri_rao_grad(out_grads[0], *inputs, index=i) for i in range(len(inputs))]


@register("*args")
class _khatri_rao_grad(Op):
    """The gradient of khatri_rao with respect to its input `index`. args: the head gradient, then all inputs."""

    num_args: int = 1
    index: int = 0
    gradient = None

    def infer_shape(self, grad, *shapes):
        if not 0 <= self.index < len(shapes):
            raise self.shape_clash(f"index={self.index} is out of range for {len(shapes)} inputs")
        shapes, (output,) = khatri_rao(num_args=len(shapes)).infer_shape(*shapes)
        return [self.require("args0", grad, output), *shapes], [shapes[self.index]]

    def forward(self, grad, *matrices):
        shape = (*[m.shape[0] for m in matrices], grad.shape[-1])
        product = grad.reshape(shape)
        for i, matrix in enumerate(_along(matrices, shape)):
            if i != self.index:
                product = product * matrix
        return sum_along(product, tuple(i for i in range(len(matrices)) if i != self.index), grad.dtype)
