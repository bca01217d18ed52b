"""Comparisons of arrays: `assert_almost_equal` and its variants, and the tolerances for each dtype."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..common.docstrings import share_sentences
from ..ndarray import NDArray

__all__ = [
    "almost_equal", "assert_allclose", "assert_almost_equal", "assert_almost_equal_ignore_nan",
    "assert_almost_equal_with_err", "checkShapes", "compare_ndarray_tuple", "default_atols", "default_numeric_eps",
    "default_rtols", "effective_dtype", "get_atol", "get_etol", "get_rtol", "get_tolerance", "get_tols",
    "locationError", "same", "same_array",
]

_EXACT = dict.fromkeys(map(np.dtype, ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")), 0)


def _by_dtype(half, single, double):
    return {np.dtype("float16"): half, np.dtype("float32"): single, np.dtype("float64"): double}


def default_rtols() -> Any:
    """Return {dtype: relative tolerance}.

    >>> mx.test_utils.default_rtols()[np.dtype("float32")]
    0.0001
    """
    return {**_by_dtype(1e-2, 1e-4, 1e-5), **_EXACT}


def default_atols() -> Any:
    """Return {dtype: absolute tolerance}.

    >>> mx.test_utils.default_atols()[np.dtype("float32")]
    0.001
    """
    return {**_by_dtype(1e-1, 1e-3, 1e-20), **_EXACT}


def default_numeric_eps() -> Any:
    """Return {dtype: step of finite differences}: powers of two, so that adding a step does not lose any of its bits.

    >>> mx.test_utils.default_numeric_eps()[np.dtype("float64")] < 0.001
    True
    """
    return _by_dtype(2.0 ** -6, 2.0 ** -9, 2.0 ** -14)


def effective_dtype(dat: Any) -> Any:
    """Return the dtype whose tolerance applies to an array.

    dat: an NDArray or a numpy.ndarray.

    >>> mx.test_utils.effective_dtype(nd.ones((2,), dtype="float16"))
    dtype('float16')
    """
    return np.dtype(dat.dtype)


def get_tolerance(dat: Any, tol: float, default_tol: Any) -> Any:
    """Return the tolerance for an array.

    dat: the array.
    tol: a number, or {dtype: number}, with `default_tol` for other dtypes.

    >>> mx.test_utils.get_tolerance(np.ones(2), 0.5, {})
    0.5
    """
    if isinstance(tol, numbers.Number):
        return tol
    dtype = effective_dtype(dat)
    return (tol or {}).get(dtype, default_tol[dtype])


def get_tols(x: Any, y: Any, rtol: float, atol: float) -> Any:
    """Return (rtol, atol) for comparing two arrays or numbers, which are the tolerances of the less precise of them.

    x, y: the arrays or numbers.
    rtol, atol: as in `assert_almost_equal`.

    >>> mx.test_utils.get_tols(np.ones(2), np.ones(2), 0.1, 0.2)
    (0.1, 0.2)
    """
    pair = [np.array(v) if isinstance(v, numbers.Number) else v for v in (x, y)]
    return (max(get_tolerance(v, rtol, default_rtols()) for v in pair),
            max(get_tolerance(v, atol, default_atols()) for v in pair))


def get_rtol(rtol: Any = None,
             dtype: np.dtype[Any] = np.dtype("float64")) -> Any:     # noqa: B008  a dtype does not change
    """Return rtol or, if it is None, the relative tolerance for a dtype.

    >>> mx.test_utils.get_rtol(0.5)
    0.5
    """
    return default_rtols()[dtype] if rtol is None else rtol


def get_atol(atol: Any = None, dtype: np.dtype[Any] = np.dtype("float64")) -> Any:     # noqa: B008
    """Return atol or, if it is None, the absolute tolerance for a dtype.

    >>> mx.test_utils.get_atol(0.5)
    0.5
    """
    return default_atols()[dtype] if atol is None else atol


def get_etol(etol: Any = None) -> Any:
    """Return etol, the fraction of elements that may differ, or 0 if it is None.

    >>> mx.test_utils.get_etol(), mx.test_utils.get_etol(0.5)
    (0, 0.5)
    """
    return 0 if etol is None else etol


def same(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same shape and elements.

    a, b: NDArrays or numpy.ndarrays.

    >>> mx.test_utils.same(np.array([1, 2]), np.array([1, 2]))
    True
    """
    return np.array_equal(_numpy(a), _numpy(b))


def same_array(array1: Any, array2: Any) -> bool:
    """Return whether two NDArrays share their memory, so that a change to one affects the other.

    array1, array2: the NDArrays, which are changed temporarily.

    >>> x = nd.zeros((2,))
    >>> mx.test_utils.same_array(x, x), mx.test_utils.same_array(x, x.copy())
    (True, False)
    """
    array1[:] += 1
    is_same = same(array1, array2)
    array1[:] -= 1
    return is_same and same(array1, array2)


def checkShapes(a: Any, b: Any) -> None:
    """Raise AssertionError unless the shapes are equal.

    a, b: NDArrays or numpy.ndarrays.

    >>> mx.test_utils.checkShapes(np.ones((2, 3)), np.zeros((2, 3)))
    """
    if a.shape != b.shape:
        raise AssertionError(_message(a, b, f"a.shape = {a.shape} and b.shape = {b.shape} are not equal"))


def almost_equal(a: Any, b: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
                 use_broadcast: bool = True) -> bool:
    """Return whether |a - b| <= atol + rtol |b| everywhere, by default with the tolerances of float64.

    a, b: NDArrays, numpy.ndarrays or numbers.
    equal_nan: True treats NaN as equal to NaN.
    use_broadcast: False raises an error for arrays of different shapes.

    >>> mx.test_utils.almost_equal(np.array([1.0]), np.array([1.1])), mx.test_utils.almost_equal(1.0, 1.1, rtol=0.2)
    (False, True)
    """
    if not use_broadcast:
        checkShapes(a, b)
    return np.allclose(_numpy(a), _numpy(b), rtol=get_rtol(rtol), atol=get_atol(atol), equal_nan=equal_nan)


def assert_almost_equal(a: Any, b: Any, rtol: Any = None, atol: float | None = None, names: Sequence[str] = ("a", "b"),
                        equal_nan: bool = False, use_broadcast: bool = True, mismatches: Any = (10, 10)) -> None:
    """Raise AssertionError unless |a - b| <= atol + rtol |b| everywhere.

    a, b: NDArrays, numpy.ndarrays or numbers.
    rtol, atol: numbers, {dtype: number}, or None for the dtypes' defaults.
    mismatches: the maximum number of positions to print and to count (0: all).
    names: the names of a and b in the message.
    equal_nan: True treats NaN as equal to NaN.
    use_broadcast: False raises an error for arrays of different shapes.

    >>> mx.test_utils.assert_almost_equal(nd.array([1]), np.array([1.1]), rtol=0.2)
    """
    if not use_broadcast:
        checkShapes(a, b)
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    if a.dtype == b.dtype == np.bool_:
        np.testing.assert_equal(a, b)
    elif not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan):
        _fail(a, b, rtol, atol, names, equal_nan, mismatches)


def assert_allclose(a: Any, b: Any, rtol: float = 1e-07, atol: float = 0, equal_nan: bool = True) -> None:
    """Call `assert_almost_equal` with different defaults.

    >>> mx.test_utils.assert_allclose(np.array([1.0]), np.array([1.0 + 1e-9]))
    """
    assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)


def assert_almost_equal_with_err(a: Any, b: Any, rtol: float | None = None, atol: float | None = None, etol: Any = None,
                                 names: Sequence[str] = ("a", "b"), equal_nan: bool = False,
                                 mismatches: Any = (10, 10)) -> None:
    """Call `assert_almost_equal`, but allow a fraction `etol` of the elements to differ.

    >>> mx.test_utils.assert_almost_equal_with_err(np.array([1.0, 2, 3, 4]), np.array([1.0, 2, 3, 5]), etol=0.5)
    """
    if not get_etol(etol):
        assert_almost_equal(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
        return
    rtol, atol = get_tols(a, b, rtol, atol)
    a, b = _numpy(a), _numpy(b)
    wrong = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if wrong.sum() / wrong.size > etol:
        _fail(a, b, rtol, atol, names, equal_nan, mismatches)


def assert_almost_equal_ignore_nan(a: Any, b: Any, rtol: float | None = None, atol: float | None = None,
                                   names: Sequence[str] = ("a", "b")) -> None:
    """Call `assert_almost_equal` for the elements where neither is NaN.

    >>> mx.test_utils.assert_almost_equal_ignore_nan(np.array([1.0, np.nan]), np.array([1.0, 2.0]))
    """
    a, b = np.copy(_numpy(a)), np.copy(_numpy(b))
    ignored = np.isnan(a) | np.isnan(b)
    a[ignored] = b[ignored] = 0
    assert_almost_equal(a, b, rtol, atol, names)


def compare_ndarray_tuple(t1: Any, t2: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Call `assert_almost_equal` for nested tuples of arrays. None is equal to everything.

    t1, t2: the tuples.

    >>> mx.test_utils.compare_ndarray_tuple((nd.ones((2,)), None), (nd.ones((2,)), nd.zeros((2,))))
    """
    if t1 is None or t2 is None:
        return
    if isinstance(t1, tuple):
        for s1, s2 in zip(t1, t2, strict=True):
            compare_ndarray_tuple(s1, s2, rtol, atol)
    else:
        assert_almost_equal(t1, t2, rtol=rtol, atol=atol)


def locationError(a: Any, b: Any, index: Any, names: Sequence[str], maxError: bool = False) -> Any:
    """Return the line for one position at which two arrays differ.

    a, b: numpy.ndarrays.
    index: the position.
    names: the names of a and b.
    maxError: True adds a note that the error is the largest.

    >>> mx.test_utils.locationError(np.array([1.0]), np.array([2.0]), (0,), ("a", "b"))
    'Location of error: (0,), a=1.00000000, b=2.00000000'
    """
    return (f"Location of {'maximum ' if maxError else ''}error: {index}, {names[0]}={a[index]:.8f}, "
            f"{names[1]}={b[index]:.8f}")


def _numpy(x):
    return x.asnumpy() if isinstance(x, NDArray) else np.asarray(x)


def _fail(a, b, rtol, atol, names, equal_nan, mismatches):
    """Print the positions with the largest errors, and raise AssertionError with the largest error."""
    a, b = np.broadcast_arrays(a, b)
    with np.errstate(invalid="ignore"):
        distance = np.where(a == b, 0, np.abs(a - b if a.dtype.kind == "f" else a.astype(np.float64) - b))
        error = distance / (atol + rtol * np.abs(b) + 1e-20)
    wrong = ~np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan)
    if a.ndim == 0:
        raise AssertionError(_message(
            a, b, f"Error {float(error):f} exceeds tolerance rtol={rtol:e}, atol={atol:e}.\n"))
    rank = np.where(wrong, np.where(np.isnan(error), np.inf, error), -1).ravel()
    order = np.argsort(-rank, kind="stable")
    places = [tuple(map(int, np.unravel_index(i, a.shape))) for i in order[:max(1, mismatches[0])]]
    count, (limit, counted) = int(wrong.sum()), mismatches
    more = counted > 0 and count > counted
    print(f"\n*** Maximum errors for vector of size {a.size}:  rtol={rtol}, atol={atol}\n")
    for number, place in enumerate(places[:min(limit, counted if more else count)], 1):
        print(f"{number:3d}: Error {error[place]:f}  {locationError(a, b, place, names)}")
    degree = f"{'at least ' if more else ''}{100 * (counted + 1 if more else count) / a.size:f}%"
    raise AssertionError(_message(
        a, b, f"Error {error[places[0]]:f} exceeds tolerance rtol={rtol:e}, atol={atol:e} (mismatch {degree}).\n"
              f"{locationError(a, b, places[0], names, maxError=True)}"))


def _message(a, b, text):
    with np.printoptions(threshold=4, suppress=True):
        return np.testing.build_err_msg([_numpy(a), _numpy(b)], err_msg=text)


share_sentences(assert_almost_equal, assert_allclose, assert_almost_equal_with_err, assert_almost_equal_ignore_nan,
                compare_ndarray_tuple)
