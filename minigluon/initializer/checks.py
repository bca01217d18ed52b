"""The check that an argument is an initializer."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import ArgumentError
from ..context import Context
from ..diagnostics.strictness import refuse

__all__ = ["require_initializer"]


def require_initializer(init: Any, argument: str) -> Any:
    """Return `init` if it can be used as an initializer. Raises ArgumentError with a hint on how to pass values.

    init: None, an Initializer, its name or JSON, or a function of a description and an array.
    argument: its name in the message.

    >>> try:
    ...     nn.Dense(2, weight_initializer=0.5)
    ... except mx.base.ArgumentError as error:
    ...     print(str(error).partition(": ")[2])
    init is 0.5, expected an initializer such as mx.init.Xavier(). For this value: mx.init.Constant(0.5).
    """
    if init is None or isinstance(init, str) or callable(init):
        return init
    if isinstance(init, Context):
        raise ArgumentError(f"{argument} is {init}, expected an Initializer such as mx.init.Xavier(). Give a device by "
                            f"name: ctx={init}.")
    if isinstance(init, (int, float, np.generic)):
        error = ArgumentError(f"{argument} is {init}, expected an initializer such as mx.init.Xavier(). For this "
                              f"value: mx.init.Constant({init}).")
        if init:
            raise error
        refuse(error)               # MXNet treats 0 as None
        return None
    shape = getattr(init, "shape", None)
    actual = f"a list of {len(init)}" if isinstance(init, (list, tuple)) else \
        f"an array of shape {shape}" if shape is not None else repr(init)
    raise ArgumentError(f"{argument} is {actual}, expected an initializer such as mx.init.Xavier(). For values of your "
                        "own: mx.init.Constant(nd.array(values)), or param.set_data(nd.array(values)) afterwards.")
