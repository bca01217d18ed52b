"""`mx.util`: GPUs, environment variables, and the switches of mx.np, of which only `np_shape` can be on."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import context
from .common.shape_scopes import np_shape, set_np_shape, use_np_shape
from .common.shape_semantics import is_np_shape
from .common.types import Shape
from .diagnostics.unsupported import refuse

if TYPE_CHECKING:
    from .ndarray import NDArray

__all__ = ["get_gpu_count", "get_gpu_memory", "getenv", "is_np_array", "is_np_shape", "np_array", "np_shape",
           "reset_np", "set_module", "set_np", "set_np_shape", "setenv", "use_np", "use_np_array", "use_np_shape"]


def get_gpu_count() -> int:
    """Returns the number of GPUs.

    >>> mx.util.get_gpu_count() == mx.num_gpus()
    True
    """
    return context.num_gpus()


def get_gpu_memory(gpu_dev_id: Any) -> tuple[int, int]:
    """Returns (free, total) bytes of a GPU. Raises ContextError if there is no such GPU.

    gpu_dev_id: the GPU's index.

    >>> try:
    ...     free, total = mx.util.get_gpu_memory(99)
    ... except mx.base.ContextError:
    ...     print("there is no such GPU")
    there is no such GPU
    """
    return context.gpu_memory_info(gpu_dev_id)


def getenv(name: str) -> str | None:
    """Returns the value of an environment variable, or None.

    name: the name of the variable.

    >>> mx.util.setenv("MINIGLUON_EXAMPLE", "1")
    >>> mx.util.getenv("MINIGLUON_EXAMPLE")
    '1'
    >>> mx.util.setenv("MINIGLUON_EXAMPLE", None)
    """
    return os.environ.get(name)


def setenv(name: str, value: Any) -> None:
    """Sets an environment variable; None removes it.

    name, value: the name and value of the variable.

    >>> mx.util.setenv("MINIGLUON_EXAMPLE", "1")
    >>> mx.util.setenv("MINIGLUON_EXAMPLE", None)
    >>> mx.util.getenv("MINIGLUON_EXAMPLE") is None
    True
    """
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = str(value)


def set_module(module: Any) -> Callable[..., Any]:
    """Returns a decorator that sets the module that a function or class reports.

    >>> @mx.util.set_module("mine")
    ... def function():
    ...     pass
    >>> function.__module__
    'mine'
    """
    def decorator(function):
        function.__module__ = module
        return function
    return decorator


# -- mx.np's switches -------------------------------------------------------------------------------------------------


def is_np_array() -> bool:
    """Returns whether functions create mx.np arrays, which is never the case here.

    >>> mx.is_np_array()
    False
    """
    return False


def set_np(shape: Shape = True, array: NDArray = True) -> None:
    """Calls `set_np_shape(shape)`. Raises AbsentError for array=True: mx.np is not available.

    >>> mx.util.set_np(array=False)
    >>> mx.is_np_shape()
    True
    >>> mx.util.reset_np()
    """
    if array:
        refuse("mx", "set_np")
    set_np_shape(shape)


def reset_np() -> None:
    """Calls `set_np_shape(False)`.

    >>> mx.util.reset_np()
    >>> mx.is_np_shape()
    False
    """
    set_np_shape(False)


class _NumpyModeOff:
    """`with np_array(False):` has no effect; active=True raises AbsentError.

    >>> with mx.util.np_array(False):
    ...     mx.util.is_np_array()
    False
    """

    def __init__(self, active: bool = True) -> None:
        if active:
            refuse("mx", "set_np")

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *exc_info: Any) -> Any:
        """Has no effect; errors in the block propagate."""


np_array = _NumpyModeOff


def _refused(function, name):
    """Replaces an MXNet decorator for code that uses mx.np. Raises AbsentError."""
    refuse("mx", name)


use_np = functools.partial(_refused, name="use_np")
use_np_array = functools.partial(_refused, name="use_np_array")
