"""Checks of the kinds of an optimizer's arguments: what its `__init__` annotates as a number must be one."""

from __future__ import annotations

import functools
import inspect
import numbers
from typing import Any

from ..base import ArgumentError

__all__ = ["check_kinds"]

_NUMBERS = ("float", "int", "float | None", "int | None")
_METHODS = {"sym": ("attr_dict", "a Symbol"), "param_dict": ("get", "a dict from indices to parameters"),
            "lr_scheduler": ("__call__", "an LRScheduler")}


def check_kinds(cls: type[Any]) -> None:
    """Let `__init__` of a class raise ArgumentError for arguments of kinds that it does not annotate.

    cls: a class of optimizers, which may have been defined by a program.
    """
    init = cls.__dict__.get("__init__")
    if init is None:
        return
    parameters = inspect.signature(init).parameters

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name, value in {**dict(zip([*parameters][1:], args, strict=False)), **kwargs}.items():
            _check(type(self).__name__, name, value, getattr(parameters.get(name), "annotation", None))
        init(self, *args, **kwargs)
    setattr(cls, "__init__", checked)       # noqa: B010 - type checkers know that a class has another one


def _check(who, name, value, annotation):
    if value is None and (name in _METHODS or annotation in ("float | None", "int | None")):
        return
    if annotation in _NUMBERS and not isinstance(value, numbers.Real):
        raise ArgumentError(f"{who}: {name} is {value!r}, expected a number")
    if annotation == "bool" and isinstance(value, str):
        raise ArgumentError(f"{who}: {name} is {value!r}, expected True or False")
    if name in _METHODS and annotation is not None and not hasattr(value, _METHODS[name][0]):
        raise ArgumentError(f"{who}: {name} is {value!r}, expected {_METHODS[name][1]}")
