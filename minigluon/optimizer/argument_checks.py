"""Checks of an optimizer's arguments: unknown arguments, and values that do not match the annotations of `__init__`."""

from __future__ import annotations

import functools
import inspect
import numbers
from typing import Any

import numpy as np

from ..base import ArgumentError
from ..diagnostics import strictness
from ..diagnostics.keywords import unknown_argument

__all__ = ["check_arguments", "check_kinds", "with_rate"]

_NUMBERS = ("float", "int", "float | None", "int | None")
_METHODS = {"sym": ("attr_dict", "a Symbol"), "param_dict": ("get", "a dict from indices to parameters"),
            "lr_scheduler": ("__call__", "an LRScheduler")}


def check_arguments(cls: type[Any], unknown: dict[str, Any], names: Any, rescale_grad: Any) -> None:
    """Raise CallError for arguments that the class does not take, and ArgumentError for arguments of the wrong type.

    names: `param_idx2name`, a dict or None. rescale_grad: a number. `check_kinds` checks the other arguments.
    """
    if unknown:
        raise unknown_argument(cls, unknown)
    if names is not None and not isinstance(names, dict):
        raise ArgumentError(f"param_idx2name should be a dict from indices to names, found {type(names).__name__}")
    if not isinstance(rescale_grad, numbers.Real):
        raise ArgumentError(f"{cls.__name__}: rescale_grad is {rescale_grad!r}, expected a number")


def with_rate(scheduler: Any, learning_rate: float | None) -> Any:
    """Return an optimizer's scheduler, set to start at `learning_rate` if given; warn if its own start differed."""
    if scheduler is not None and learning_rate is not None and scheduler.base_lr != learning_rate:
        strictness.warn(f"learning_rate {learning_rate} replaces the scheduler's base_lr {scheduler.base_lr}")
        scheduler.base_lr = learning_rate
    return scheduler


def check_kinds(cls: type[Any]) -> None:
    """Make `__init__` of a class raise ArgumentError for arguments of a kind other than the annotated one.

    cls: an optimizer class, which may be user-defined.
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
    if annotation == "bool" and (isinstance(value, str) or np.ndim(value)):
        raise ArgumentError(f"{who}: {name} is {value!r}, expected True or False")
    if name in _METHODS and annotation is not None and not hasattr(value, _METHODS[name][0]):
        raise ArgumentError(f"{who}: {name} is {value!r}, expected {_METHODS[name][1]}")
