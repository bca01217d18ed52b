"""Random shapes and arrays, and small matrices of a kind."""

import random

import numpy as np

from .. import ndarray as nd
from ..base import MXNetError
from .setting import default_context, default_dtype

__all__ = ["assign_each", "assign_each2", "collapse_sum_like", "create_2d_tensor", "create_sparse_array",
           "create_sparse_array_zd", "create_vector", "get_identity_mat", "get_identity_mat_batch",
           "new_matrix_with_real_eigvals_2d", "new_matrix_with_real_eigvals_nd", "new_orthonormal_matrix_2d",
           "new_sym_matrix_with_real_eigvals_2d", "new_sym_matrix_with_real_eigvals_nd", "np_reduce", "rand_coord_2d",
           "rand_ndarray", "rand_shape_2d", "rand_shape_3d", "rand_shape_nd", "rand_sparse_ndarray", "random_arrays",
           "random_sample", "random_uniform_arrays"]


# -- shapes -----------------------------------------------------------------------------------------------------------


def rand_shape_2d(dim0=10, dim1=10, allow_zero_size=False):
    """Two random lengths, up to dim0 and dim1."""
    return rand_shape_nd(2, [dim0, dim1], allow_zero_size)


def rand_shape_3d(dim0=10, dim1=10, dim2=10, allow_zero_size=False):
    """Three random lengths, up to dim0, dim1 and dim2."""
    return rand_shape_nd(3, [dim0, dim1, dim2], allow_zero_size)


def rand_shape_nd(num_dim, dim=10, allow_zero_size=False):
    """num_dim random lengths from 1, or 0, to dim, a number or one for each axis."""
    low = 0 if allow_zero_size else 1
    return tuple(int(n) for n in np.random.randint(low, np.array(dim) + 1, size=num_dim))


def rand_coord_2d(x_low, x_high, y_low, y_high):
    """(x, y) with x_low ≤ x < x_high, and y likewise."""
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


# -- arrays -----------------------------------------------------------------------------------------------------------


def random_arrays(*shapes):
    """numpy.ndarrays of standard normal numbers, float32; one array for one shape, a number for ()."""
    arrays = [np.array(np.random.randn(), dtype=default_dtype()) if len(shape) == 0
              else np.random.randn(*shape).astype(default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes, low=0.0, high=1.0, dtype=None):
    """A list of numpy.ndarrays of numbers between low and high."""
    return [np.random.uniform(low, high, size=shape).astype(dtype or default_dtype()) for shape in shapes]


def random_sample(population, k):
    """k different elements of a list, in a random order."""
    return random.sample(population, k)


def rand_ndarray(shape, stype="default", density=None, dtype=None, modifier_func=None, shuffle_csr_indices=False,
                 distribution=None, ctx=None):
    """An NDArray of standard normal numbers. Raises MXNetError for another stype than 'default'.

    modifier_func: a function that each number goes through.
    """
    _only_dense(stype)
    values = np.random.normal(size=shape)
    if modifier_func is not None:
        values = assign_each(values, modifier_func)
    return nd.array(values, ctx=ctx or default_context(), dtype=dtype or default_dtype())


def create_2d_tensor(rows, columns, dtype=np.int64):
    """NDArray (rows, columns) whose rows have their number everywhere."""
    return nd.array(np.arange(rows).reshape(rows, 1), dtype=dtype).broadcast_to((rows, columns))


def create_vector(size, dtype=np.int64):
    """NDArray 0 ... size - 1."""
    return nd.arange(0, size, dtype=dtype)


def rand_sparse_ndarray(shape, stype, **kwargs):
    """Raises MXNetError: all arrays are dense."""
    _only_dense(stype)


def create_sparse_array(shape, stype, *args, **kwargs):
    """Raises MXNetError: all arrays are dense."""
    _only_dense(stype)


create_sparse_array_zd = create_sparse_array


def _only_dense(stype):
    if stype != "default":
        raise MXNetError(f"stype is {stype!r}, but sparse arrays are not available, all arrays are dense. Use "
                         "rand_ndarray(shape).")


def assign_each(the_input, function):
    """A numpy.ndarray with `function` of each element."""
    return np.array(the_input) if function is None else np.vectorize(function)(the_input)


def assign_each2(input1, input2, function):
    """A numpy.ndarray with `function` of each pair of elements."""
    return np.array(input1) if function is None else np.vectorize(function)(input1, input2)


# -- sums -------------------------------------------------------------------------------------------------------------


def np_reduce(dat, axis, keepdims, numpy_reduce_func):
    """A reduction of NumPy's over one axis, several, or all."""
    axes = tuple(range(dat.ndim)) if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    found = dat
    for one in sorted((a % dat.ndim for a in axes), reverse=True):
        found = numpy_reduce_func(found, axis=one)
    if keepdims:
        found = found.reshape([1 if a in [b % dat.ndim for b in axes] else n for a, n in enumerate(dat.shape)])
    return found


def collapse_sum_like(a, shape):
    """`a` summed over the axes along which an array of this shape was broadcast."""
    lead = a.ndim - len(shape)
    axes = [*range(lead), *[lead + i for i, n in enumerate(shape) if n != a.shape[lead + i]]]
    return np.sum(a, axis=tuple(axes)).reshape(shape)


# -- matrices ---------------------------------------------------------------------------------------------------------


def get_identity_mat(size):
    """NDArray (size, size), the identity."""
    return nd.eye(size)


def get_identity_mat_batch(size):
    """NDArray (2, size, size), two identities."""
    return nd.stack(nd.eye(size), nd.eye(size))


def new_orthonormal_matrix_2d(n):
    """A random orthonormal matrix (n, n)."""
    q, _ = np.linalg.qr(np.random.randn(n, n))
    return q.T


def new_matrix_with_real_eigvals_2d(n):
    """A random matrix (n, n) with real eigenvalues 1 ... n, as q diagonal q⁻¹ of an orthonormal q."""
    return new_sym_matrix_with_real_eigvals_2d(n)


def new_sym_matrix_with_real_eigvals_2d(n):
    """A random symmetric matrix (n, n) with the eigenvalues 1 ... n."""
    q = new_orthonormal_matrix_2d(n)
    return q.T @ np.diag(np.arange(1.0, n + 1)) @ q


def new_matrix_with_real_eigvals_nd(shape):
    """`new_matrix_with_real_eigvals_2d` for the last two axes of a shape."""
    return new_sym_matrix_with_real_eigvals_nd(shape)


def new_sym_matrix_with_real_eigvals_nd(shape):
    """`new_sym_matrix_with_real_eigvals_2d` for the last two axes of a shape."""
    count = int(np.prod(shape[:-2]))
    return np.array([new_sym_matrix_with_real_eigvals_2d(shape[-1]) for _ in range(count)]).reshape(shape)
