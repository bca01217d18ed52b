"""Element types: their names, their codes in MXNet's files, and the default."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import DTypeError, nearest

__all__ = ["CODES", "DTYPES", "as_dtype", "code_of", "dtype_of", "is_float", "is_narrow"]

# MXNet's codes for element types, as stored in .params files and in "__dtype__" attributes.
CODES: dict[np.dtype[Any], int] = {
    np.dtype("float32"): 0, np.dtype("float64"): 1, np.dtype("float16"): 2, np.dtype("uint8"): 3,
    np.dtype("int32"): 4, np.dtype("int8"): 5, np.dtype("int64"): 6, np.dtype("bool"): 7,
}
DTYPES = {code: dtype for dtype, code in CODES.items()}
_FLOAT32 = np.dtype("float32")
_BY_NAME: dict[str, np.dtype[Any]] = {str(dtype): dtype for dtype in CODES}

BFLOAT16 = "bfloat16"       # not a NumPy type, but defined by the package ml_dtypes, which is imported when needed
_BFLOAT16_CODE = 12


def as_dtype(dtype: Any, default: np.dtype[Any] = _FLOAT32) -> np.dtype[Any]:
    """Return the `numpy.dtype` for a name, a NumPy type, Python's int / float / bool, or None (the default).

    A name is one of MXNet's names, or another NumPy name for the same type, such as 'int', 'float', 'half' or 'f4'.
    Raises DTypeError for a type that MXNet's arrays do not support, and for 'bfloat16' without the package ml_dtypes.
    """
    if dtype is None:
        return default
    if str(getattr(dtype, "name", getattr(dtype, "__name__", dtype))) == BFLOAT16:
        return _bfloat16()
    try:
        numpy_dtype: np.dtype[Any] | None = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        numpy_dtype = None      # SyntaxError: NumPy reads a name with a comma in it as a record
    if numpy_dtype is None or numpy_dtype not in CODES:
        hint = nearest(dtype, _BY_NAME) if isinstance(dtype, str) else ""
        raise DTypeError(f"unknown dtype {dtype!r}; expected one of {', '.join(_BY_NAME)}.{hint}")
    return numpy_dtype


def is_float(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is a floating-point type. NumPy does not count bfloat16 as one."""
    return dtype.kind == "f" or _is_bfloat16(dtype)


def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Return whether a dtype is float16 or bfloat16, which are used for storage but not for computing."""
    return dtype == np.float16 or _is_bfloat16(dtype)


def _is_bfloat16(dtype: np.dtype[Any]) -> bool:
    return dtype.kind == "V" and str(dtype) == BFLOAT16         # getting the name takes NumPy a microsecond


def code_of(dtype: np.dtype[Any]) -> int:
    """Return MXNet's code for an element type."""
    return _BFLOAT16_CODE if _is_bfloat16(dtype) else CODES[dtype]


def dtype_of(code: int) -> np.dtype[Any] | None:
    """Return the element type for MXNet's code, or None if there is none. Raises DTypeError like `as_dtype`."""
    return _bfloat16() if code == _BFLOAT16_CODE else DTYPES.get(code)


def _bfloat16() -> np.dtype[Any]:
    try:
        import ml_dtypes
    except ImportError:
        raise DTypeError("bfloat16 is a type of the package ml_dtypes, which is not installed: "
                         'pip install "minigluon[bfloat16]". Or use float16.') from None
    return np.dtype(ml_dtypes.bfloat16)
