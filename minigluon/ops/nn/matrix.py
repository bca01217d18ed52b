"""Matrix products and fully connected layers."""

from typing import Any

import numpy as np

from ..numeric import sum_along
from ..op import Op
from ..registry import register
from ..remedies import to_multiply
from ..shapes import merge, size_of

__all__ = ["FullyConnected", "dot"]


@register("data", "weight", "bias")
class FullyConnected(Op):
    """out = data · weightᵀ + bias.

    data (N, *rest) if flatten else (*lead, K) | weight (num_hidden, K) | bias (num_hidden,), absent with no_bias
    out  (N, num_hidden) or (*lead, num_hidden)

    num_hidden: the number of outputs per row.
    no_bias: if True, omit the bias.
    flatten: if True, flatten all axes of data except the first into one; if False, transform only the last axis.

    >>> weight, bias = nd.array([[1, 1], [0, 2]]), nd.array([0, 10])
    >>> print(nd.FullyConnected(nd.array([[3, 4]]), weight, bias, num_hidden=2).asnumpy())
    [[ 7. 18.]]
    """

    num_hidden: int
    no_bias: bool = False
    flatten: bool = True
    keeps = ("inputs",)

    def list_arguments(self):
        return self.arguments[:2] if self.no_bias else self.arguments

    def infer_shape(self, data, weight, bias=None):
        n, k = self.num_hidden, None
        if data is not None:
            row = data[1:] if self.flatten else data[-1:]
            k = None if None in row else size_of(row)
        weight = self.require("weight", weight, (n, k))
        if self.flatten:
            out = (None if data is None else data[0], n)
        else:
            out = None if data is None else (*data[:-1], n)
        if data is not None and not self.flatten:
            data = (*data[:-1], weight[1])
        if self.no_bias:
            return [data, weight], [out]
        return [data, weight, self.require("bias", bias, (n,))], [out]

    def infer_inputs(self, shapes, outputs):
        if outputs[0] is None or shapes[0] is None:
            return shapes
        lead = outputs[0][:-1]
        return [self.require("data", shapes[0], (*lead, *shapes[0][len(lead):])), *shapes[1:]]

    def forward(self, data, weight, bias=None):
        lead = data.shape[:1] if self.flatten else data.shape[:-1]
        out = matrix_product(data if data.ndim == 2 else data.reshape(size_of(lead), weight.shape[1]), weight.T)
        if bias is not None:
            rows = out[0] if out.shape[0] == 1 else out     # adding equal shapes is faster than broadcasting
            rows += bias
        return out if len(lead) == 1 else out.reshape(*lead, self.num_hidden)

    def gradient(self, F, out_grads, inputs, outputs):
        g, (data, weight) = out_grads[0], inputs[:2]
        grads = [lambda: F._fully_connected_data_grad(g, weight, data, flatten=self.flatten),
                 lambda: F._fully_connected_weight_grad(g, data, flatten=self.flatten)]
        return grads if self.no_bias else [*grads, lambda: F.sum(g, axis=-1, exclude=True)]


class _FullyConnectedAdjoint(Op):
    """Base class. A layer without bias is linear in data and in weight, so the layer and its adjoints are derivatives
    of each other.
    """

    flatten: bool = True
    keeps = ("inputs",)

    @staticmethod
    def product(a, b, out=None):
        """Computes forward on matrices."""
        raise NotImplementedError

    def layer_shapes(self, data, weight, grad):
        """Returns the shapes of a layer's data, weight and result, completed from each other."""
        lead, columns = None, None
        if data is not None:
            row = data[1:] if self.flatten else data[-1:]
            lead, columns = data[:len(data) - len(row)], None if None in row else size_of(row)
        weight = self.require("weight", weight, (grad[-1] if grad else None, columns))
        if lead is not None:
            grad = self.require("grad", grad, (*lead, weight[0]))
        return data, weight, grad

    def rows(self, array):
        """Returns data or results as a matrix. The result is a view, whereas operators would copy."""
        return array.reshape(array.shape[0], size_of(array.shape[1:])) if self.flatten \
            else array.reshape(size_of(array.shape[:-1]), array.shape[-1])


@register("data", "weight")
class _fully_connected(_FullyConnectedAdjoint):
    """The layer without bias; it has as many outputs as weight has rows."""

    def infer_shape(self, data, weight):
        data, weight, out = self.layer_shapes(data, weight, None)
        return [data, weight], [out]

    @staticmethod
    def product(data, weight, out=None):
        return matrix_product(data, weight.T, out)

    def forward(self, data, weight):
        return self.product(self.rows(data), weight).reshape(self.infer_shape(data.shape, weight.shape)[1][0])

    def gradient(self, F, out_grads, inputs, outputs):
        g, (data, weight) = out_grads[0], inputs
        return [lambda: F._fully_connected_data_grad(g, weight, data, flatten=self.flatten),
                lambda: F._fully_connected_weight_grad(g, data, flatten=self.flatten)]


@register("grad", "weight", "data")
class _fully_connected_data_grad(_FullyConnectedAdjoint):
    """grad · weight with the shape of data, whose values are not used."""

    shape_only = ("data",)

    def infer_shape(self, grad, weight, data):
        data, weight, grad = self.layer_shapes(data, weight, grad)
        return [grad, weight, data], [data]

    @staticmethod
    def product(grad, weight, out=None):
        return matrix_product(grad, weight, out)

    def forward(self, grad, weight, data):
        return self.product(self.rows(grad), weight).reshape(data.shape)

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, weight, _), h = inputs, out_grads[0]
        return [lambda: F._fully_connected(h, weight, flatten=self.flatten),
                lambda: F._fully_connected_weight_grad(grad, h, flatten=self.flatten), None]


@register("grad", "data")
class _fully_connected_weight_grad(_FullyConnectedAdjoint):
    """gradᵀ · data, both as matrices of rows."""

    def infer_shape(self, grad, data):
        data, weight, grad = self.layer_shapes(data, None, grad)
        return [grad, data], [weight]

    @staticmethod
    def product(grad, data, out=None):
        return matrix_product(grad.T, data, out)

    def forward(self, grad, data):
        return self.product(self.rows(grad), self.rows(data))

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, data), h = inputs, out_grads[0]
        return [lambda: F._fully_connected(data, h, flatten=self.flatten),
                lambda: F._fully_connected_data_grad(grad, h, data, flatten=self.flatten)]


@np.errstate(invalid="ignore", over="ignore")       # NumPy would attribute its warning to its own frame
def _tensordot(lhs, rhs):
    return np.tensordot(lhs, rhs, 1)


@register("lhs", "rhs")
class dot(Op):
    """The product over the last axis of lhs and the first axis of rhs: out[i, j] = Σ lhs[i, k] · rhs[k, j].

    lhs (*a, K) | rhs (K, *b) | out (*a, *b); (1,) for two vectors

    transpose_a: if True, move lhs's first axis to its end; for a matrix this is the transpose.
    transpose_b: if True, move rhs's last axis to its front; for a matrix this is the transpose.
    forward_stype: the storage type of a product with sparse arrays; "default" makes the product dense.

    >>> lhs, rhs = nd.array([[1, 2], [3, 4]]), nd.array([10, 1])
    >>> print(nd.dot(lhs, rhs).asnumpy(), nd.dot(lhs, rhs, transpose_a=True).asnumpy())
    [12. 34.] [13. 24.]
    """

    transpose_a: bool = False
    transpose_b: bool = False
    forward_stype: str | None = None
    keeps = ("inputs",)

    def infer_shape(self, lhs, rhs):
        self.require_least_rank("lhs", lhs, 1)
        self.require_least_rank("rhs", rhs, 1)
        if lhs is None or rhs is None:
            return [lhs, rhs], [None]
        a = (*lhs[1:], lhs[0]) if self.transpose_a else lhs
        b = (rhs[-1], *rhs[:-1]) if self.transpose_b else rhs
        inner = merge(a[-1:], b[:1])
        if inner is False:
            raise self.shape_clash(f"the {'first' if self.transpose_a else 'last'} axis of lhs has length {a[-1]}, but "
                                   f"the {'last' if self.transpose_b else 'first'} axis of rhs has {b[0]}; the product "
                                   "runs over both, so they must be equal", "rhs",
                                   to_multiply(lhs, rhs, (-1, 0), (0, -1), (self.transpose_a, self.transpose_b)))
        lhs = (*inner, *lhs[1:]) if self.transpose_a else (*lhs[:-1], *inner)
        rhs = (*rhs[:-1], *inner) if self.transpose_b else (*inner, *rhs[1:])
        return [lhs, rhs], [a[:-1] + b[1:] or (1,)]

    def forward(self, lhs, rhs):
        # np.dot passes a transposed matrix to BLAS without a copy
        if self.transpose_a:
            lhs = lhs.T if lhs.ndim == 2 else np.moveaxis(lhs, 0, -1)
        if self.transpose_b:
            rhs = rhs.T if rhs.ndim == 2 else np.moveaxis(rhs, -1, 0)
        if lhs.ndim == rhs.ndim == 2:
            return matrix_product(lhs, rhs)
        out = np.dot(lhs, rhs) if rhs.ndim <= 2 else _tensordot(lhs, rhs)
        return np.asarray(out).reshape(out.shape or (1,))

    def gradient(self, F, out_grads, inputs, outputs):
        flags = {"transpose_a": self.transpose_a, "transpose_b": self.transpose_b}
        g, (lhs, rhs) = out_grads[0], inputs
        return F._dot_lhs_grad(g, lhs, rhs, **flags), F._dot_rhs_grad(g, lhs, rhs, **flags)


class _DotAdjoint(Op):
    """Base class of the two adjoints of `dot`, where all three arrays are viewed as matrices, grad = lhs · rhs."""

    transpose_a: bool = False
    transpose_b: bool = False
    keeps = ("inputs",)

    def matrices(self, grad, lhs, rhs):
        """Returns grad (m, n), lhs (m, k), rhs (k, n)."""
        lhs = np.moveaxis(lhs, 0, -1) if self.transpose_a else lhs
        rhs = np.moveaxis(rhs, -1, 0) if self.transpose_b else rhs
        lhs = lhs.reshape(size_of(lhs.shape[:-1]), lhs.shape[-1])       # not -1, because an axis may have length 0
        rhs = rhs.reshape(rhs.shape[0], size_of(rhs.shape[1:]))
        return grad.reshape(lhs.shape[0], rhs.shape[1]), lhs, rhs

    def product_shapes(self, grad, lhs, rhs):
        """Returns the shapes of the inputs: the two factors and the product."""
        (lhs, rhs), (product,) = dot(**self.flags).infer_shape(lhs, rhs)
        return [self.require("grad", grad, product), lhs, rhs]

    @property
    def flags(self):
        return {"transpose_a": self.transpose_a, "transpose_b": self.transpose_b}


@register("grad", "lhs", "rhs")
class _dot_lhs_grad(_DotAdjoint):
    """grad · rhsᵀ with the shape of lhs; the values of lhs are not used."""

    shape_only = ("lhs",)

    def infer_shape(self, grad, lhs, rhs):
        inputs = self.product_shapes(grad, lhs, rhs)
        return inputs, [inputs[1]]

    def forward(self, grad, lhs, rhs):
        shape = lhs.shape
        grad, _, rhs = self.matrices(grad, lhs, rhs)
        return (matrix_product(rhs, grad.T) if self.transpose_a else matrix_product(grad, rhs.T)).reshape(shape)

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, _, rhs), h = inputs, out_grads[0]
        return [F.dot(h, rhs, **self.flags), None, F._dot_rhs_grad(grad, h, rhs, **self.flags)]


@register("grad", "lhs", "rhs")
class _dot_rhs_grad(_DotAdjoint):
    """lhsᵀ · grad with the shape of rhs; the values of rhs are not used."""

    shape_only = ("rhs",)

    def infer_shape(self, grad, lhs, rhs):
        inputs = self.product_shapes(grad, lhs, rhs)
        return inputs, [inputs[2]]

    def forward(self, grad, lhs, rhs):
        shape = rhs.shape
        grad, lhs, _ = self.matrices(grad, lhs, rhs)
        return (matrix_product(grad.T, lhs) if self.transpose_b else matrix_product(lhs.T, grad)).reshape(shape)

    def gradient(self, F, out_grads, inputs, outputs):
        (grad, lhs, _), h = inputs, out_grads[0]
        return [F.dot(lhs, h, **self.flags), F._dot_lhs_grad(grad, lhs, h, **self.flags), None]


LONG_DEPTH, PIECE = 4096, 1024      # an inner axis at least this long is divided into pieces of this length
MOST_SUMS = 2 ** 22                 # the maximum number of elements of the pieces' products in memory


def matrix_product(a: Any, b: Any, out: Any = None) -> Any:
    """Computes `a.dot(b, out)` of two matrices. A long inner axis is divided into pieces, whose products are summed.

    The reason is that BLAS adds products sequentially if a matrix has few rows or columns.

    >>> x = np.full((10 ** 5, 1), 0.1, "float32")
    >>> matrix_product(np.ones((1, 10 ** 5), "float32"), x).round(1)
    array([[10000.]], dtype=float32)
    """
    depth = b.shape[0]
    if depth <= LONG_DEPTH or a.dtype.kind != "f":
        return a.dot(b, out)
    pieces = min(depth // PIECE, MOST_SUMS // max(a.shape[0] * b.shape[1], 1))
    if pieces < 2:
        return a.dot(b, out)
    length = depth // pieces
    cut = length * pieces
    lhs = a[:, :cut].reshape(a.shape[0], pieces, length).transpose(1, 0, 2)
    total = sum_along(np.matmul(lhs, b[:cut].reshape(pieces, length, b.shape[1])), 0)
    if cut < depth:
        total += a[:, cut:].dot(b[cut:])
    if out is None:
        return total
    out[...] = total
    return out
