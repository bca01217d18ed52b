"""The check that a layer's arguments have the types annotated in its `__init__`."""

from __future__ import annotations

import functools
import inspect
import numbers
from typing import Any

import numpy as np

from ...base import ArgumentError

__all__ = ["check_kinds"]

_LENGTHS = ("in_channels", "in_units")      # 0 means that the first call infers the size


def check_kinds(cls: type[Any]) -> None:
    """Make a layer's `__init__` raise ArgumentError for arguments of a wrong type, before anything else reads them.

    A string instead of a number is left to the operators, which parse it.

    cls: the class of the layer.
    """
    init = cls.__dict__.get("__init__")
    if init is None:
        return
    parameters = inspect.signature(init).parameters
    kinds = {name: str(p.annotation) for name, p in parameters.items()}

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, value in (*zip([*parameters][1:], args, strict=False), *kwargs.items()):
            expected = _expected(name, value, kinds.get(name, ""))
            if expected:
                raise ArgumentError(f"{type(self).__name__}: {name} is {value!r}, expected {expected}")
        init(self, *args, **kwargs)
    setattr(cls, "__init__", checked)       # noqa: B010 - type checkers know that a class has another one


def _expected(name, value, kind):
    """Return a description of the values expected instead of `value`, or None."""
    if kind in ("str", "str | None") and not isinstance(value, (str, type(None))):
        return "a name such as 'relu'. Put an activation layer after this one." if name == "activation" else "a string"
    if np.ndim(value) if hasattr(value, "shape") else False:        # an array is neither True nor False
        return {"bool": "True or False", "int": "an integer", "int | None": "an integer", "float": "a number"}.get(kind)
    if name in _LENGTHS and not (isinstance(value, numbers.Integral) and value >= 0):
        return "an integer, at least 0"
    return None
