"""`mx.util`: GPUs, environment variables, and the switches of `mx.np`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from . import context
from .base import ArgumentError
from .common.array_semantics import is_np_array, set_np_array
from .common.shape_scopes import np_shape, run_inside, set_np_shape, use_np_shape
from .common.shape_semantics import is_np_shape

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


class np_array:
    """Turn arrays of `mx.np` on for a `with` block, or off with `np_array(False)`, and then restore the setting.

    active: whether to turn them on.

    >>> with mx.util.np_array():
    ...     mx.is_np_array()
    True
    >>> mx.is_np_array()
    False
    """

    def __init__(self, active: bool = True) -> None:
        self._active = active
        self._before: list[bool] = []

    def __enter__(self) -> Any:
        self._before.append(set_np_array(self._active))

    def __exit__(self, *exc_info: Any) -> Any:
        set_np_array(self._before.pop())


def set_np(shape: bool = True, array: bool = True) -> None:
    """Turn on NumPy's shapes, and arrays of `mx.np` for parameters, layers and data, in this thread.

    shape: whether to turn on NumPy's shapes.
    array: whether to turn on arrays of `mx.np`, which need NumPy's shapes.

    Raises ArgumentError for array=True with shape=False.

    >>> mx.util.set_np()
    >>> mx.is_np_shape(), mx.is_np_array()
    (True, True)
    >>> mx.util.reset_np()
    """
    if array and not shape:
        raise ArgumentError("set_np: arrays of mx.np need NumPy's shapes, found shape=False with array=True")
    set_np_shape(shape)
    set_np_array(array)


def reset_np() -> None:
    """Turn off NumPy's shapes and arrays of `mx.np` in this thread.

    >>> mx.util.reset_np()
    >>> mx.is_np_shape(), mx.is_np_array()
    (False, False)
    """
    set_np(shape=False, array=False)


def use_np_array(func: Any) -> Any:
    """Decorate a function, or all methods and properties of a class, to run with arrays of `mx.np`.

    func: the function or class.

    Raises TypeError for anything else.

    >>> @mx.util.use_np_array
    ... def kind():
    ...     return mx.is_np_array()
    >>> kind()
    True
    """
    return run_inside(np_array, func, "use_np_array")


def use_np(func: Any) -> Any:
    """Decorate a function, or all methods and properties of a class, to run as after `set_np()`.

    func: the function or class.

    Raises TypeError for anything else.

    >>> @mx.util.use_np
    ... def switches():
    ...     return mx.is_np_shape(), mx.is_np_array()
    >>> switches()
    (True, True)
    """
    return use_np_shape(use_np_array(func))
