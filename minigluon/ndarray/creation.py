"""Functions that make arrays, and those that are not operators."""

import numpy as np

from ..backend import backend_for
from ..context import Context, current_context, parse
from ..dtypes import as_dtype
from .ndarray import NDArray

__all__ = ["array", "empty", "full", "ones", "waitall", "zeros"]


def array(source_array, ctx=None, dtype=None):
    """An NDArray with the elements of an NDArray, a numpy.ndarray or nested lists. float32 unless told otherwise."""
    if isinstance(source_array, NDArray):
        dtype = source_array.dtype if dtype is None else dtype
        source_array = source_array.asnumpy()
    return _from_numpy(np.asarray(source_array, as_dtype(dtype)), ctx)


def zeros(shape, ctx=None, dtype=None, **kwargs):
    """Zeros. shape: an integer or a tuple."""
    return full(shape, 0, ctx, dtype)


def ones(shape, ctx=None, dtype=None, **kwargs):
    """Ones. shape: an integer or a tuple."""
    return full(shape, 1, ctx, dtype)


def full(shape, val, ctx=None, dtype=None, out=None):
    """An array filled with one value. shape: an integer or a tuple."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _from_numpy(np.full(shape, val, as_dtype(dtype)), ctx)


def empty(shape, ctx=None, dtype=None):
    """An array with arbitrary elements."""
    ctx = parse(ctx)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return NDArray(backend_for(ctx).empty(shape, as_dtype(dtype), ctx), ctx)


def waitall():
    """Wait until all devices have finished their work."""
    for ctx in list(Context._interned.values()):
        if ctx.kernels:
            backend_for(ctx).synchronize(ctx)


def _from_numpy(a, ctx):
    ctx = current_context() if ctx is None else parse(ctx)
    return NDArray(backend_for(ctx).from_numpy(a, ctx), ctx)
