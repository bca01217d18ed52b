"""Arrays for tests: random arrays, patterns, and matrices with known properties."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import ndarray as nd
from ..base import ArgumentError
from ..common.types import Contexts, DType, Shape
from ..context import Context, current_context, set_default
from ..diagnostics.unsupported import AbsentError

if TYPE_CHECKING:
    from ..ndarray import NDArray

__all__ = [
    "assign_each", "assign_each2", "collapse_sum_like", "create_2d_tensor", "create_sparse_array",
    "create_sparse_array_zd", "create_vector", "default_context", "default_dtype", "get_identity_mat",
    "get_identity_mat_batch", "new_matrix_with_real_eigvals_2d", "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d", "new_sym_matrix_with_real_eigvals_2d", "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce", "rand_coord_2d", "rand_ndarray", "rand_shape_2d", "rand_shape_3d", "rand_shape_nd",
    "rand_sparse_ndarray", "random_arrays", "random_sample", "random_uniform_arrays", "set_default_context",
]


def default_context() -> Context:
    """Return the current device.

    >>> mx.test_utils.default_context()
    cpu(0)
    """
    return current_context()


def set_default_context(ctx: Contexts) -> None:
    """Make a device the current one in this thread, like a `with ctx:` block that does not end.

    >>> mx.test_utils.set_default_context(mx.cpu(0))
    >>> mx.test_utils.default_context()
    cpu(0)
    """
    set_default(ctx)


def default_dtype() -> Any:
    """Return numpy.float32.

    >>> mx.test_utils.default_dtype()
    <class 'numpy.float32'>
    """
    return np.float32


# -- random arrays: from NumPy's global generator, in MXNet's order
# ----------------------------------------------------


def random_arrays(*shapes: Any) -> Any:
    """Return float32 numpy.ndarrays of normally distributed numbers: a list for several shapes, an array for one.

    shapes: tuples of integers; () stands for a number.

    >>> [array.shape for array in mx.test_utils.random_arrays((2, 3), (4,))]
    [(2, 3), (4,)]
    """
    arrays = [np.asarray(np.random.randn(*shape), default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes: Any, low: float = 0.0, high: float = 1.0, dtype: DType = np.float32) -> Any:
    """Return a list with one numpy.ndarray of uniformly distributed numbers for each shape.

    shapes: tuples of integers.
    low, high: the bounds of the numbers.
    dtype: the dtype of the arrays.

    >>> array, = mx.test_utils.random_uniform_arrays((2, 3), low=5, high=6)
    >>> bool((5 <= array).all() and (array <= 6).all())
    True
    """
    return [np.random.uniform(low, high, size=shape).astype(dtype) for shape in shapes]


def random_sample(population: Any, k: Any) -> Any:
    """Return k distinct elements of a list, in random order.

    population: the list.
    k: the number of elements.

    >>> sorted(mx.test_utils.random_sample([1, 2, 3], 3))
    [1, 2, 3]
    """
    if not 0 <= k <= len(population):
        raise ArgumentError(f"random_sample: k must be in 0 ... {len(population)}, found {k}")
    shuffled = population[:]
    np.random.shuffle(shuffled)
    return shuffled[:k]


def rand_ndarray(shape: Sequence[int], stype: str = "default", density: Any = None, dtype: DType | None = None,
                 modifier_func: Any = None, shuffle_csr_indices: bool = False, distribution: Any = None,
                 ctx: Contexts | None = None) -> NDArray:
    """Return an NDArray of normally distributed numbers.

    Sparse arguments have no effect, and other stypes raise an error.

    shape: the shape of the array.
    stype: 'default'; others raise an error.
    dtype: the dtype of the array; float32 if None.
    ctx: the device; the current one if None.
    density, modifier_func, shuffle_csr_indices, distribution: no effect; they are for sparse arrays.

    >>> mx.test_utils.rand_ndarray((2, 3)).shape
    (2, 3)
    """
    _require_dense("rand_ndarray", stype)
    return nd.array(random_arrays(shape), dtype=dtype, ctx=ctx or default_context())


def rand_sparse_ndarray(shape: Shape, stype: str, *args: Any, **kwargs: Any) -> None:
    """Raise AbsentError, because all arrays here are dense.

    shape, stype, args, kwargs: no effect.

    >>> try:
    ...     mx.test_utils.rand_sparse_ndarray((2, 3), "csr")
    ... except mx.absent.AbsentError:
    ...     print("make one with nd.sparse")
    make one with nd.sparse
    """
    _require_dense("rand_sparse_ndarray", stype)


def create_sparse_array(shape: Shape, stype: str, *args: Any, **kwargs: Any) -> None:
    """Raise AbsentError, because all arrays here are dense.

    shape, stype, args, kwargs: no effect.

    >>> try:
    ...     mx.test_utils.create_sparse_array((2, 3), "csr")
    ... except mx.absent.AbsentError:
    ...     print("make one with nd.sparse")
    make one with nd.sparse
    """
    _require_dense("create_sparse_array", stype)


create_sparse_array_zd = create_sparse_array


def _require_dense(function, stype):
    if stype != "default":
        raise AbsentError(f"{function}: sparse arrays ({stype!r}) are not here; use rand_ndarray(shape)")


def rand_shape_2d(dim0: Any = 10, dim1: Any = 10, allow_zero_size: bool = False) -> tuple[int, int]:
    """Return a random shape with two dimensions, at most dim0 and dim1, and at least 1 unless allow_zero_size=True.

    >>> len(mx.test_utils.rand_shape_2d(3, 4))
    2
    """
    return _lengths((dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0: Any = 10, dim1: Any = 10, dim2: Any = 10,
                  allow_zero_size: bool = False) -> tuple[int, int, int]:
    """Return a random shape with three dimensions, at most dim0, dim1 and dim2; at least 1 unless allow_zero_size=True.

    >>> len(mx.test_utils.rand_shape_3d(3, 4, 5))
    3
    """
    return _lengths((dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim: Any, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape with num_dim dimensions, each at most dim, and at least 1 unless allow_zero_size=True.

    >>> len(mx.test_utils.rand_shape_nd(4, dim=3))
    4
    """
    return _lengths((dim,) * num_dim, allow_zero_size)


def _lengths(most, allow_zero_size):
    return tuple(int(np.random.randint(0 if allow_zero_size else 1, n + 1)) for n in most)


def rand_coord_2d(x_low: Any, x_high: Any, y_low: Any, y_high: Any) -> Any:
    """Return two random integers, one in [x_low, x_high) and one in [y_low, y_high).

    >>> tuple(map(int, mx.test_utils.rand_coord_2d(3, 4, 7, 8)))
    (3, 7)
    """
    return np.random.randint(x_low, x_high, dtype=np.int64), np.random.randint(y_low, y_high, dtype=np.int64)


# -- patterns ----------------------------------------------------------------------------------------------------------


def create_2d_tensor(rows: Any, columns: Any, dtype: DType = np.int64) -> Any:
    """Return an array whose row i is filled with i.

    rows, columns: the number of rows and columns.
    dtype: the dtype of the NDArray.

    >>> mx.test_utils.create_2d_tensor(2, 3).asnumpy().tolist()
    [[0, 0, 0], [1, 1, 1]]
    """
    return nd.broadcast_to(nd.arange(0, rows, dtype=dtype).reshape((rows, 1)), shape=(rows, columns))


def create_vector(size: Any, dtype: DType = np.int64) -> Any:
    """Return the vector 0, 1, ..., size - 1.

    size: the length of the vector.
    dtype: the dtype of the NDArray.

    >>> mx.test_utils.create_vector(3).asnumpy().tolist()
    [0, 1, 2]
    """
    return nd.arange(0, size, dtype=dtype)


def get_identity_mat(size: Any) -> Any:
    """Return the identity matrix (size, size).

    >>> mx.test_utils.get_identity_mat(2).asnumpy().tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    return nd.eye(size)


def get_identity_mat_batch(size: Any) -> Any:
    """Return a batch of two identity matrices.

    size: the number of rows and columns.

    >>> mx.test_utils.get_identity_mat_batch(2).shape
    (2, 2, 2)
    """
    return nd.array([np.eye(size)] * 2)


def assign_each(the_input: Any, function: Callable[..., Any]) -> Any:
    """Return a float64 numpy.ndarray with `function` applied to each element, or a copy if function is None.

    the_input: an array.
    function: a function that takes a number and returns a number.

    >>> mx.test_utils.assign_each(np.array([1, 2]), lambda x: x * 10).tolist()
    [10.0, 20.0]
    """
    return np.array(the_input) if function is None else np.vectorize(function, otypes=[np.float64])(the_input)


def assign_each2(input1: Any, input2: Any, function: Callable[..., Any]) -> Any:
    """Return a float64 numpy.ndarray with `function` applied to each pair of elements; a copy of input1 if it is None.

    input1, input2: arrays with the same shape.
    function: a function that takes two numbers and returns one.

    >>> mx.test_utils.assign_each2(np.array([1, 2]), np.array([3, 4]), lambda x, y: x * y).tolist()
    [3.0, 8.0]
    """
    if function is None:
        return np.array(input1)
    if input1.shape != input2.shape:
        raise ArgumentError(f"assign_each2: the shapes differ: {input1.shape} and {input2.shape}")
    return np.vectorize(function, otypes=[np.float64])(input1, input2)


def np_reduce(dat: Any, axis: int, keepdims: Any, numpy_reduce_func: Any) -> Any:
    """Apply `numpy_reduce_func` along one axis after another. axis: an integer, a list of integers, or None for all.

    dat: a numpy.ndarray.
    keepdims: True keeps the axes in the result, with length 1.

    >>> mx.test_utils.np_reduce(np.ones((2, 3, 4)), (0, 2), False, np.sum).tolist()
    [8.0, 8.0, 8.0]
    """
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    reduced = dat
    for i in sorted(axes, reverse=True):
        reduced = numpy_reduce_func(reduced, axis=i)
    if keepdims:
        reduced = reduced.reshape([1 if i in axes else n for i, n in enumerate(dat.shape)])
    return reduced


def collapse_sum_like(a: Any, shape: Shape) -> Any:
    """Return the sum of `a` over the axes along which `shape` was broadcast to the shape of `a`.

    >>> mx.test_utils.collapse_sum_like(np.ones((2, 3)), (1, 3)).tolist()
    [[2.0, 2.0, 2.0]]
    """
    new = a.ndim - len(shape)
    if new < 0 or any(n not in (1, m) for n, m in zip(shape, a.shape[max(new, 0):], strict=True)):
        raise ArgumentError(f"collapse_sum_like: {tuple(shape)} cannot be broadcast to {a.shape}")
    axes = [*range(new), *(new + i for i, n in enumerate(shape) if n != a.shape[new + i])]
    return a.sum(axis=tuple(axes)).reshape(shape)


# -- matrices ----------------------------------------------------------------------------------------------------------


def new_matrix_with_real_eigvals_2d(n: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a matrix (n, n) with real eigenvalues between -10 and 10 and well-conditioned eigenvectors.

    >>> np.linalg.eigvals(mx.test_utils.new_matrix_with_real_eigvals_2d(3)).dtype
    dtype('float64')
    """
    while True:
        scales = np.random.uniform(-1.0, 1.0, n)
        v = np.random.uniform(-1.0, 1.0, n)
        v /= np.linalg.norm(v)
        q = (np.eye(n) - 2 * np.outer(v, v)) * scales       # a reflection with scaled columns
        if np.linalg.cond(q, 2) < 3:
            return np.linalg.inv(q) * np.random.uniform(-10.0, 10.0, n) @ q


def new_orthonormal_matrix_2d(n: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a matrix (n, n) whose rows have length 1 and are orthogonal.

    >>> matrix = mx.test_utils.new_orthonormal_matrix_2d(3)
    >>> bool(np.allclose(matrix @ matrix.T, np.eye(3)))
    True
    """
    x = np.random.randn(n, n)
    return np.linalg.qr(x.T @ x)[0]


def new_sym_matrix_with_real_eigvals_2d(n: int) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a symmetric matrix (n, n) with eigenvalues between -10 and 10.

    >>> matrix = mx.test_utils.new_sym_matrix_with_real_eigvals_2d(3)
    >>> bool(np.allclose(matrix, matrix.T))
    True
    """
    q = new_orthonormal_matrix_2d(n)
    return q.T * np.random.uniform(-10.0, 10.0, n) @ q


def new_matrix_with_real_eigvals_nd(shape: Shape) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array of this shape with matrices from `new_matrix_with_real_eigvals_2d` in its last two axes.

    >>> mx.test_utils.new_matrix_with_real_eigvals_nd((2, 3, 3)).shape
    (2, 3, 3)
    """
    return _batch(new_matrix_with_real_eigvals_2d, shape)


def new_sym_matrix_with_real_eigvals_nd(shape: Shape) -> np.ndarray[Any, np.dtype[Any]]:
    """Return an array of this shape with matrices from `new_sym_matrix_with_real_eigvals_2d` in its last two axes.

    >>> mx.test_utils.new_sym_matrix_with_real_eigvals_nd((2, 3, 3)).shape
    (2, 3, 3)
    """
    return _batch(new_sym_matrix_with_real_eigvals_2d, shape)


def _batch(make, shape):
    return np.array([make(shape[-1]) for _ in range(int(np.prod(shape[:-2])))]).reshape(shape)
