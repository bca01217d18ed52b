"""Rules for products and sums of csr matrices.

If SciPy is installed, products run in its compiled loops; otherwise, they run in NumPy, which needs a temporary array
of all products.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...ops.array.indexing import add_rows
from ...ops.shapes import size_of
from ..creation import from_host
from .operators import is_sparse, rule
from .storage import CSRStorage, RowSparseStorage, host

if TYPE_CHECKING:
    from ...ops.op import Op

__all__ = []


def _scipy():
    """Returns the module scipy.sparse, or None."""
    try:
        return importlib.import_module("scipy.sparse")
    except ImportError:
        return None


@rule("dot")
def dot(op: Op, inputs: Sequence[Any]) -> Any:
    """Computes csr · (dense or row_sparse), which is dense, or row_sparse if the csr is transposed. Also computes dense
    · csr, which is csr as in MXNet. """
    (a, b), (x, y) = [x.buffer for x in inputs], inputs
    if a.dtype != b.dtype or len(a.shape) != 2 or len(b.shape) > 2:
        return None
    op.infer_shape(a.shape, b.shape)            # it raises ShapeError
    if isinstance(a, CSRStorage) and not isinstance(b, CSRStorage):
        if isinstance(b, RowSparseStorage) and not (op.transpose_a or op.transpose_b or b.is_full):
            a, right = _through_rows(a, b), host(b.values)
        else:
            right = _elements(y)
        right = right.T if op.transpose_b else right
        if not op.transpose_a:
            return from_host(_times(a, _matrix(right)).reshape(a.shape[:1] + right.shape[1:]), x.device)
        if op.forward_stype == "default":
            return from_host(_rows_times(a, right, x.device).to_numpy(), x.device)
        return _rows_times(a, right, x.device)
    if isinstance(b, CSRStorage) and not is_sparse(x):
        left = host(x).T if op.transpose_a else host(x)
        product = _times(b, left.T).T if op.transpose_b else _transposed_times(b, left.T).T
        return from_host(product, x.device) if op.forward_stype == "default" else CSRStorage.of(product, x.device)
    return None


@rule("_dot_rhs_grad")
def gradient_of_the_right(op: Op, inputs: Any) -> Any:
    """Computes the gradient of rhs in csr · rhs: row_sparse, with a row for each column that occurs in the csr matrix.
    """
    grad, a = _matrix(_elements(inputs[0])), inputs[1].buffer
    if not isinstance(a, CSRStorage) or op.transpose_b or a.dtype != grad.dtype:
        return None
    shape, device = inputs[2].shape, inputs[0].device
    if op.transpose_a:
        return from_host(_times(a, grad).reshape(shape), device)
    return _rows_times(a, grad.reshape(-1, size_of(shape[1:])) if len(shape) > 1 else grad[:, 0], device)


@rule("_dot_lhs_grad")
def gradient_of_the_left(op: Op, inputs: Any) -> Any:
    """Computes the gradient of lhs in lhs · csr, which is dense."""
    grad, lhs, b = inputs[0], inputs[1], inputs[2].buffer
    if not isinstance(b, CSRStorage) or is_sparse(lhs) or is_sparse(grad) or b.dtype != grad.buffer.dtype:
        return None
    g = host(grad).reshape(-1, b.shape[0] if op.transpose_b else b.shape[1])
    product = _transposed_times(b, g.T).T if op.transpose_b else _times(b, g.T).T
    return from_host(np.ascontiguousarray((product.T if op.transpose_a else product).reshape(lhs.shape)), grad.device)


@rule("sum", "mean")
def total(op: Op, inputs: Any) -> Any:
    """Sums a csr matrix over its rows, its columns, or both."""
    a = inputs[0].buffer
    if not isinstance(a, CSRStorage) or op.exclude or op.axis not in (None, (), 0, 1, -1, (0,), (1,), (-1,)):
        return None
    axis = None if op.axis in (None, ()) else (op.axis[0] if isinstance(op.axis, tuple) else op.axis) % 2
    values, count = host(a.values), a.size if axis is None else a.shape[axis]
    if axis is None:
        sums = np.array([values.sum()])
    else:
        numbers, length = (a.columns, a.shape[1]) if axis == 0 else (a.row_of, a.shape[0])
        sums = np.zeros(length, a.dtype)
        np.add.at(sums, numbers, values)
    if op.name == "mean":
        sums = sums / max(count, 1)
    return from_host(sums.astype(a.dtype).reshape(op.infer_shape(a.shape)[1][0]), a.values.device)


def _elements(x):
    return x.asnumpy() if is_sparse(x) else host(x)


def _matrix(a):
    """Returns an array (n,) as (n, 1)."""
    return a.reshape(len(a), -1) if a.ndim == 1 else a


def _through_rows(a, table):
    """Returns the csr matrix with columns mapped to positions in the table's values, and missing rows multiplied by 0.
    """
    places, present = table.places(a.columns)
    return CSRStorage((a.shape[0], len(table.rows)), from_host(host(a.values) * present, a.values.device), places,
                      a.starts)


def _times(a, right):
    """Returns csr (n, m) · right (m, k) as a numpy.ndarray."""
    sparse = _scipy()
    if sparse is not None and a.dtype.name in ("float32", "float64"):
        return sparse.csr_matrix((host(a.values), a.columns, a.starts), a.shape) @ right
    out = np.zeros((a.shape[0], right.shape[1]), a.dtype)
    filled = np.flatnonzero(np.diff(a.starts))
    if len(filled):
        out[filled] = np.add.reduceat(right[a.columns] * host(a.values)[:, None], a.starts[filled], 0)
    return out


def _transposed_times(a, right):
    """Returns csrᵀ (m, n) · right (n, k) as a numpy.ndarray."""
    return _rows_times(a, right, a.values.device).to_numpy()


def _rows_times(a, right, device):
    """Returns the same product as a RowSparseStorage, with one row for each column that occurs.

    right: (n, k) or (n,).
    """
    rows, places = np.unique(a.columns, return_inverse=True)
    wide, sparse = _matrix(right), _scipy()
    if sparse is not None and a.dtype.name in ("float32", "float64"):
        values = sparse.csr_matrix((host(a.values), places, a.starts), (a.shape[0], len(rows))).T @ wide
    else:
        values = add_rows(wide[a.row_of] * host(a.values)[:, None], places, len(rows))
    return RowSparseStorage((a.shape[1], *right.shape[1:]),
                            from_host(values.reshape(len(rows), *right.shape[1:]), device), rows)
