"""Arrays for tests: random ones, ones of a pattern, matrices with known properties."""

import numpy as np

from .. import ndarray as nd
from ..absent import AbsentError
from ..base import ArgumentError
from ..context import current_context, set_default

__all__ = [
    "assign_each", "assign_each2", "collapse_sum_like", "create_2d_tensor", "create_sparse_array",
    "create_sparse_array_zd", "create_vector", "default_context", "default_dtype", "get_identity_mat",
    "get_identity_mat_batch", "new_matrix_with_real_eigvals_2d", "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d", "new_sym_matrix_with_real_eigvals_2d", "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce", "rand_coord_2d", "rand_ndarray", "rand_shape_2d", "rand_shape_3d", "rand_shape_nd",
    "rand_sparse_ndarray", "random_arrays", "random_sample", "random_uniform_arrays", "set_default_context",
]


def default_context():
    """The current device."""
    return current_context()


def set_default_context(ctx):
    """Make a device the current one of this thread, as a `with ctx:` without an end."""
    set_default(ctx)


def default_dtype():
    return np.float32


# -- random ones: from NumPy's global generator, in MXNet's order ------------------------------------------------------


def random_arrays(*shapes):
    """A numpy.ndarray of normal numbers in float32 for each shape: a list, or the array where there is one shape."""
    arrays = [np.asarray(np.random.randn(*shape), default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes, low=0.0, high=1.0, dtype=np.float32):
    """A list with a numpy.ndarray of uniform numbers for each shape."""
    return [np.random.uniform(low, high, size=shape).astype(dtype) for shape in shapes]


def random_sample(population, k):
    """k different elements of a list, in random order."""
    if not 0 <= k <= len(population):
        raise ArgumentError(f"random_sample: k must lie in 0 ... {len(population)}, found {k}")
    shuffled = population[:]
    np.random.shuffle(shuffled)
    return shuffled[:k]


def rand_ndarray(shape, stype="default", density=None, dtype=None, modifier_func=None, shuffle_csr_indices=False,
                 distribution=None, ctx=None):
    """An NDArray of normal numbers. The arguments for sparse arrays have no effect; another stype is refused."""
    _require_dense("rand_ndarray", stype)
    return nd.array(random_arrays(shape), dtype=dtype, ctx=ctx or default_context())


def rand_sparse_ndarray(shape, stype, *args, **kwargs):
    """Raises AbsentError: all arrays are dense."""
    _require_dense("rand_sparse_ndarray", stype)


def create_sparse_array(shape, stype, *args, **kwargs):
    """Raises AbsentError: all arrays are dense."""
    _require_dense("create_sparse_array", stype)


create_sparse_array_zd = create_sparse_array


def _require_dense(function, stype):
    if stype != "default":
        raise AbsentError(f"{function}: sparse arrays ({stype!r}) are not here; use rand_ndarray(shape)")


def rand_shape_2d(dim0=10, dim1=10, allow_zero_size=False):
    return _lengths((dim0, dim1), allow_zero_size)


def rand_shape_3d(dim0=10, dim1=10, dim2=10, allow_zero_size=False):
    return _lengths((dim0, dim1, dim2), allow_zero_size)


def rand_shape_nd(num_dim, dim=10, allow_zero_size=False):
    return _lengths((dim,) * num_dim, allow_zero_size)


def _lengths(most, allow_zero_size):
    return tuple(int(np.random.randint(0 if allow_zero_size else 1, n + 1)) for n in most)


def rand_coord_2d(x_low, x_high, y_low, y_high):
    return np.random.randint(x_low, x_high, dtype=np.int64), np.random.randint(y_low, y_high, dtype=np.int64)


# -- of a pattern ------------------------------------------------------------------------------------------------------


def create_2d_tensor(rows, columns, dtype=np.int64):
    """Row i holds i."""
    return nd.broadcast_to(nd.arange(0, rows, dtype=dtype).reshape((rows, 1)), shape=(rows, columns))


def create_vector(size, dtype=np.int64):
    return nd.arange(0, size, dtype=dtype)


def get_identity_mat(size):
    return nd.eye(size)


def get_identity_mat_batch(size):
    """Two identity matrices."""
    return nd.array([np.eye(size)] * 2)


def assign_each(the_input, function):
    """A numpy.ndarray of float64 with `function` of each element; a copy if function is None."""
    return np.array(the_input) if function is None else np.vectorize(function, otypes=[np.float64])(the_input)


def assign_each2(input1, input2, function):
    """A numpy.ndarray of float64 with `function` of each pair of elements; a copy of input1 if function is None."""
    if function is None:
        return np.array(input1)
    if input1.shape != input2.shape:
        raise ArgumentError(f"assign_each2: the shapes differ: {input1.shape} and {input2.shape}")
    return np.vectorize(function, otypes=[np.float64])(input1, input2)


def np_reduce(dat, axis, keepdims, numpy_reduce_func):
    """`numpy_reduce_func` along one axis after the other. axis: a number, a list of them, or None for all."""
    axes = range(dat.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    reduced = dat
    for i in sorted(axes, reverse=True):
        reduced = numpy_reduce_func(reduced, axis=i)
    if keepdims:
        reduced = reduced.reshape([1 if i in axes else n for i, n in enumerate(dat.shape)])
    return reduced


def collapse_sum_like(a, shape):
    """The sum of `a` over what was broadcast to get from `shape` to its shape."""
    new = a.ndim - len(shape)
    if new < 0 or any(n not in (1, m) for n, m in zip(shape, a.shape[max(new, 0):], strict=True)):
        raise ArgumentError(f"collapse_sum_like: {tuple(shape)} cannot be broadcast to {a.shape}")
    axes = [*range(new), *(new + i for i, n in enumerate(shape) if n != a.shape[new + i])]
    return a.sum(axis=tuple(axes)).reshape(shape)


# -- matrices ----------------------------------------------------------------------------------------------------------


def new_matrix_with_real_eigvals_2d(n):
    """(n, n) with real eigenvalues from -10 ... 10 and eigenvectors that are far from dependent."""
    while True:
        scales = np.random.uniform(-1.0, 1.0, n)
        v = np.random.uniform(-1.0, 1.0, n)
        v /= np.linalg.norm(v)
        q = (np.eye(n) - 2 * np.outer(v, v)) * scales       # a reflection, with scaled columns
        if np.linalg.cond(q, 2) < 3:
            return np.linalg.inv(q) * np.random.uniform(-10.0, 10.0, n) @ q


def new_orthonormal_matrix_2d(n):
    x = np.random.randn(n, n)
    return np.linalg.qr(x.T @ x)[0]


def new_sym_matrix_with_real_eigvals_2d(n):
    """Symmetric (n, n) with eigenvalues from -10 ... 10."""
    q = new_orthonormal_matrix_2d(n)
    return q.T * np.random.uniform(-10.0, 10.0, n) @ q


def new_matrix_with_real_eigvals_nd(shape):
    return _batch(new_matrix_with_real_eigvals_2d, shape)


def new_sym_matrix_with_real_eigvals_nd(shape):
    return _batch(new_sym_matrix_with_real_eigvals_2d, shape)


def _batch(make, shape):
    return np.array([make(shape[-1]) for _ in range(int(np.prod(shape[:-2])))]).reshape(shape)
