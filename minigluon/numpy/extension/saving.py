"""`npx.save` and `npx.load`: files with arrays of `mx.np`, in MXNet's format for NumPy's shapes."""

from __future__ import annotations

from typing import Any

from ...base import ArgumentError
from ...common.array_semantics import is_np_array
from ...common.shape_scopes import np_shape
from ...ndarray import saving
from ..array import ndarray

__all__ = ["load", "save"]


def save(file: str, arr: Any) -> None:
    """Write an array, a list of arrays, or a dict from names to arrays.

    file: the file, which is replaced atomically.
    arr: arrays of `mx.np`.

    Raises ArgumentError for other objects.

    >>> from minigluon import np, npx
    >>> npx.save("x.params", {"a": np.ones(2)})
    >>> with mx.util.np_array(), mx.np_shape():
    ...     npx.load("x.params")
    {'a': array([1., 1.])}
    """
    given = [arr] if arr.__class__ is ndarray else arr
    items = list(given.values()) if isinstance(given, dict) else given
    if not isinstance(items, (list, tuple)) or any(x.__class__ is not ndarray for x in items):
        raise ArgumentError("npx.save: expected an array of mx.np, a list of them or a dict from names to them, found "
                            f"{type(arr).__name__}")
    plain = {name: x.as_nd_ndarray() for name, x in given.items()} if isinstance(given, dict) else \
        [x.as_nd_ndarray() for x in items]
    with np_shape():
        saving.save(file, plain)


def load(file: str) -> Any:
    """Return the arrays in a file as arrays of `mx.np`: a list, or a dict if they have names.

    file: a file written by `npx.save`, `nd.save` or MXNet.

    Raises ArgumentError unless `npx.set_np()` was called, and FileFormatError for a damaged file.

    >>> npx.save("x.params", [np.ones(2), np.array(7)])
    >>> with mx.util.np_array(), mx.np_shape():
    ...     npx.load("x.params")
    [array([1., 1.]), array(7.)]
    """
    if not is_np_array():
        raise ArgumentError("npx.load: call npx.set_np() first; nd.load returns NDArrays")
    with np_shape():
        found = saving.load(file)
    if isinstance(found, dict):
        return {name: x.as_np_ndarray() for name, x in found.items()}
    return [x.as_np_ndarray() for x in found]
