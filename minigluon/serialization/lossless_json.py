"""Lossless JSON: numbers to the last bit, tuples, and NumPy arrays and scalars.

JSON's own types are written directly. All other values become an object whose only name begins with "!":

    {"!tuple": [1, 2]}              {"!array": ["<f4", [2, 3], "AACAPw..."]}        dtype, shape, bytes in base64
    {"!dict": [[1, "a"], ...]}      {"!scalar": ["<f4", "AACAPw=="]}                keys that are not strings; a scalar
"""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from ..base import FileFormatError, MXNetError

__all__ = ["dumps", "loads"]


def dumps(value: Any) -> str:
    """Return a value as a string. Raises MXNetError unless it is a number, string, None, array, or container."""
    return json.dumps(_to_json(value))


def loads(text: str) -> Any:
    """Return the value of a string that `dumps` wrote. Raises FileFormatError for any other string."""
    try:
        return _read(json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise FileFormatError(f"this is not text written by dumps: {error}") from error


def _to_json(value):
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) is list:
        return [_to_json(part) for part in value]
    if type(value) is tuple:
        return {"!tuple": [_to_json(part) for part in value]}
    if isinstance(value, dict):
        if all(type(key) is str and not key.startswith("!") for key in value):
            return {key: _to_json(part) for key, part in value.items()}
        return {"!dict": [[_to_json(key), _to_json(part)] for key, part in value.items()]}
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return {"!array": [value.dtype.str, list(value.shape), _text(value)]}
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return {"!scalar": [value.dtype.str, _text(value)]}
    raise MXNetError(f"a {type(value).__name__} cannot be stored: {value!r:.60}. Numbers, strings, None, NumPy's "
                     "arrays, and lists, tuples and dicts of them can.")


def _text(array):
    return base64.b64encode(array.tobytes()).decode()


def _read(value):
    if isinstance(value, list):
        return [_read(part) for part in value]
    if not isinstance(value, dict):
        return value
    name = next(iter(value), "")
    if not name.startswith("!"):
        return {key: _read(part) for key, part in value.items()}
    return _READERS[name](value[name])


def _array(content):
    dtype, shape, text = content
    return np.frombuffer(base64.b64decode(text), dtype).reshape(shape).copy()


def _scalar(content):
    dtype, text = content
    return np.frombuffer(base64.b64decode(text), dtype)[0]


_READERS = {"!tuple": lambda parts: tuple(map(_read, parts)), "!array": _array, "!scalar": _scalar,
            "!dict": lambda pairs: {_read(key): _read(part) for key, part in pairs}}
