"""Are arrays equal, and if not, where are they the most different?"""

import numbers

import numpy as np

from ..base import ArgumentError
from ..ndarray import NDArray

__all__ = ["almost_equal", "assert_allclose", "assert_almost_equal", "assert_almost_equal_ignore_nan",
           "assert_almost_equal_with_err", "checkShapes", "compare_ndarray_tuple", "default_atols",
           "default_numeric_eps", "default_rtols", "effective_dtype", "get_atol", "get_etol", "get_rtol",
           "get_tolerance", "get_tols", "locationError", "same", "same_array", "same_symbol_structure"]

_WHOLE = dict.fromkeys([np.dtype(name) for name in ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")], 0)


def default_rtols():
    """{dtype: relative tolerance}"""
    return {np.dtype("float16"): 1e-2, np.dtype("float32"): 1e-4, np.dtype("float64"): 1e-5, **_WHOLE}


def default_atols():
    """{dtype: absolute tolerance}"""
    return {np.dtype("float16"): 1e-1, np.dtype("float32"): 1e-3, np.dtype("float64"): 1e-20, **_WHOLE}


def default_numeric_eps():
    """{dtype: step of numeric gradients}"""
    return {np.dtype("float16"): 2.0 ** -6, np.dtype("float32"): 2.0 ** -9, np.dtype("float64"): 2.0 ** -14}


def effective_dtype(dat):
    """The dtype whose tolerances hold for an array. (On GPUs that multiply in tf32 MXNet takes float16's.)"""
    return np.dtype(dat.dtype) if hasattr(dat, "dtype") else np.dtype("float64")


def get_tolerance(dat, tol, default_tol):
    """The tolerance for an array: `tol`, a number or {dtype: number}, or the one of `default_tol`."""
    if isinstance(tol, numbers.Number):
        return tol
    return (default_tol if tol is None else {**default_tol, **tol}).get(effective_dtype(dat), 0)


def get_tols(x, y, rtol, atol):
    """(rtol, atol) for two arrays: the larger ones of the defaults for their dtypes, where none are given."""
    return (max(get_tolerance(x, rtol, default_rtols()), get_tolerance(y, rtol, default_rtols())),
            max(get_tolerance(x, atol, default_atols()), get_tolerance(y, atol, default_atols())))


def get_rtol(rtol=None, dtype="float64"):
    """rtol, by default that of the dtype."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol=None, dtype="float64"):
    """atol, by default that of the dtype."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol=None):
    """The share of elements that may differ, by default none."""
    return 0 if etol is None else etol


# -- equal? -----------------------------------------------------------------------------------------------------------


def same(a, b):
    """Are all elements equal?"""
    return np.array_equal(_numpy(a), _numpy(b))


def same_array(array1, array2):
    """Do two NDArrays share their memory? Both are written to, and are as before afterwards."""
    array1[:] += 1
    shared = same(array1, array2)
    array1[:] -= 1
    if not shared:
        return False
    array2[:] += 1
    shared = same(array1, array2)
    array2[:] -= 1
    return shared


def almost_equal(a, b, rtol=None, atol=None, equal_nan=False, use_broadcast=True):
    """Is |a - b| ≤ atol + rtol · |b| for all elements? Tolerances are a number, {dtype: number}, or the dtypes' own."""
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast and a.shape != b.shape:
        return False
    return np.allclose(a, b, rtol, atol, equal_nan)


def assert_almost_equal(a, b, rtol=None, atol=None, names=("a", "b"), equal_nan=False, use_broadcast=True,
                        mismatches=(10, 10)):
    """Raise AssertionError unless `almost_equal`, with the largest errors, how many there are, and the arrays.

    names: of the arrays. mismatches: MXNet's bounds on what is printed, without meaning here.
    """
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if not use_broadcast:
        checkShapes(a, b)
    if not np.allclose(a, b, rtol, atol, equal_nan):
        raise AssertionError(_difference(a, b, rtol, atol, names, equal_nan))


def assert_allclose(a, b, rtol=1e-07, atol=0, equal_nan=True):
    """`assert_almost_equal` with NumPy's defaults."""
    assert_almost_equal(a, b, rtol, atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(a, b, rtol=None, atol=None, etol=None, names=("a", "b"), equal_nan=False,
                                 mismatches=(10, 10)):
    """`assert_almost_equal`, but a share `etol` of the elements may differ."""
    etol = get_etol(etol)
    if not etol:
        assert_almost_equal(a, b, rtol, atol, names, equal_nan)
        return
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if 1 - np.isclose(a, b, rtol, atol, equal_nan).mean() > etol:
        raise AssertionError(_difference(a, b, rtol, atol, names, equal_nan))


def assert_almost_equal_ignore_nan(a, b, rtol=None, atol=None, names=("a", "b")):
    """`assert_almost_equal` of the elements that are a number in both."""
    a, b = np.copy(_numpy(a)), np.copy(_numpy(b))
    unknown = np.isnan(a) | np.isnan(b)
    a[unknown] = b[unknown] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def checkShapes(a, b):
    """Raise AssertionError unless the shapes are equal."""
    if a.shape != b.shape:
        raise AssertionError(f"\nItems are not equal: a.shape = {a.shape} and b.shape = {b.shape} are not equal"
                             + _both(a, b))


def compare_ndarray_tuple(t1, t2, rtol=None, atol=None):
    """`assert_almost_equal` of all arrays in nested tuples; None is left out."""
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for one, other in zip(t1, t2, strict=True):
            compare_ndarray_tuple(one, other, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def same_symbol_structure(sym1, sym2):
    """Do two graphs have the same operators, connected in the same way? Names do not matter."""
    return _structure(sym1) == _structure(sym2)


# -- texts ------------------------------------------------------------------------------------------------------------


def locationError(a, b, index, names, maxError=False):
    """'Location of error: (1, 2), a=6.00000000, b=7.00000000'"""
    maximum = "maximum " if maxError else ""
    return f"Location of {maximum}error: {index}, {names[0]}={a[index]:.8f}, {names[1]}={b[index]:.8f}"


def _difference(a, b, rtol, atol, names, equal_nan):
    a, b = np.broadcast_arrays(a, b)
    with np.errstate(all="ignore"):
        errors = np.abs(a.astype("float64") - b) / (atol + rtol * np.abs(b.astype("float64")) + 1e-300)
    wrong = ~np.isclose(a, b, rtol, atol, equal_nan)
    errors = np.where(wrong, np.where(np.isnan(errors), np.inf, errors), 0)
    index = tuple(int(i) for i in np.unravel_index(np.argmax(errors), errors.shape))
    return (f"\nItems are not equal:\nError {errors[index]:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} (mismatch "
            f"{100 * wrong.mean():f}%).\n{locationError(a, b, index, names, maxError=True)}" + _both(a, b))


def _both(a, b):
    return f"\n ACTUAL: {a!r}\n DESIRED: {b!r}"


def _numpy(array):
    if isinstance(array, NDArray):
        return array.asnumpy()
    if array is None:
        raise ArgumentError("an array is None")
    return np.asarray(array)


def _structure(symbol):
    """(operators, attributes and inputs of a graph's nodes, its outputs), with numbers in place of names."""
    nodes = list(symbol.nodes())
    number = {node: position for position, node in enumerate(nodes)}
    operators = [node.op and (node.op.name, node.op.attributes) for node in nodes]
    inputs = [[(number[parent], index) for parent, index in node.inputs] for node in nodes]
    return operators, inputs, [(number[node], index) for node, index in symbol._outputs]
