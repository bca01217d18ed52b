"""Element types: their names, their codes in MXNet's files, and the default."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import DTypeError, nearest

__all__ = ["CODES", "DTYPES", "as_dtype"]

# MXNet's numbers for element types, as stored in .params files and in "__dtype__" attributes.
CODES = {
    np.dtype("float32"): 0, np.dtype("float64"): 1, np.dtype("float16"): 2, np.dtype("uint8"): 3,
    np.dtype("int32"): 4, np.dtype("int8"): 5, np.dtype("int64"): 6, np.dtype("bool"): 7,
}
DTYPES = {code: dtype for dtype, code in CODES.items()}
_FLOAT32 = np.dtype("float32")
_BY_NAME = {dtype.name: dtype for dtype in CODES}


def as_dtype(dtype: Any, default: np.dtype[Any] = _FLOAT32) -> np.dtype[Any]:
    """The `numpy.dtype` for a name, a NumPy type, Python's int / float / bool, or None (the default).

    A name is one of MXNet's, or another of NumPy's for the same type, such as 'int', 'float', 'half' or 'f4'.
    Raises DTypeError for a type that MXNet's arrays do not have.
    """
    if dtype is None:
        return default
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):
        found = None            # SyntaxError: NumPy reads a name with a comma in it as a record
    if found not in CODES:
        hint = nearest(dtype, _BY_NAME) if isinstance(dtype, str) else ""
        raise DTypeError(f"unknown dtype {dtype!r}; expected one of {', '.join(_BY_NAME)}.{hint}")
    return found
