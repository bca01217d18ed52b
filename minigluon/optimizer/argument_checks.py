"""Checks of the arguments of an optimizer."""

from __future__ import annotations

import numbers
from typing import Any

from ..base import ArgumentError
from ..diagnostics.keywords import unknown_argument

__all__ = ["check_arguments"]


def check_arguments(cls: type[Any], unknown: dict[str, Any], names: Any, **factors: Any) -> None:
    """Raise CallError for arguments that the class does not take, and ArgumentError for arguments of the wrong type.

    names: `param_idx2name`, a dict or None. factors: numbers or None.
    """
    if unknown:
        raise unknown_argument(cls, unknown)
    if names is not None and not isinstance(names, dict):
        raise ArgumentError(f"param_idx2name should be a dict from indices to names, found {type(names).__name__}")
    for name, value in factors.items():
        if value is not None and not isinstance(value, numbers.Real):
            raise ArgumentError(f"{cls.__name__}: {name} is {value!r}, expected a number")
