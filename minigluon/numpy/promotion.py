"""The element types of results: the type that `mx.np` chooses for operands of two types. No other file decides this.

NumPy has a table of types; MXNet 1.9.1 deviates from it, because networks compute in float32:

| operands | NumPy | here, as in MXNet |
|---|---|---|
| a Python number, list or bool becomes an array | int64, float64, bool | float32 |
| integers with floats, int32 + float32 | float64 | the type of the floats |
| an integer array with a Python float, i * 0.5 | float64 | stays integer, and the number is truncated to 0 |
| integer / integer | float64 | float32 |
| uint8 with int8 | int16 | int32, as there is no int16 |
| bool with a Python number, t + 1 | int64 | int64, and the number is cut |

Combinations that MXNet 1.9.1 refuses (int32 - int64, float32 / float64, `concatenate` of two types) follow the same
table.
"""

from __future__ import annotations

from typing import Any

import numpy as onp

from ..base import DTypeError

__all__ = ["DEFAULT", "Float", "is_integer", "result_type"]

DEFAULT = onp.dtype("float32")
_BOOL, _INT32, _INT64 = onp.dtype("bool"), onp.dtype("int32"), onp.dtype("int64")


class Float(float):
    """A number in an MXNet symbol file that makes an integer array float64, as in MXNet's hybridized nets."""

    def __repr__(self) -> str:
        return f"Float({float(self)!r})"


def is_integer(dtype: Any) -> bool:
    """Return whether a type is an integer type or bool."""
    return onp.dtype(dtype).kind in "iub"


def result_type(*dtypes: Any) -> onp.dtype[Any]:
    """Return the type to which arrays of these types are converted when they are combined.

    >>> from minigluon.numpy.promotion import result_type
    >>> result_type("int32", "float16"), result_type("int32", "int64"), result_type("uint8", "int8")
    (dtype('float16'), dtype('int64'), dtype('int32'))
    """
    if not dtypes:
        raise DTypeError("result_type: expected at least one type, found none")
    kinds = [onp.dtype(dtype) for dtype in dtypes]
    if kinds.count(kinds[0]) == len(kinds):
        return kinds[0]
    floats = [dtype for dtype in kinds if dtype.kind not in "iub"]
    wide = onp.result_type(*(floats or kinds))
    return _INT32 if wide == onp.dtype("int16") else wide
